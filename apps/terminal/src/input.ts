import type { ConfigInput } from '@jetway/client/config'
import type { Terminal } from './terminal.ts'
import { sanitizeLine } from './text.ts'

/** Asks the user for an input that a configuration file requires. An empty line selects the default. */
export async function askForInput(
  terminal: Pick<Terminal, 'ask'>,
  { id, description = id, default: fallback, password, options }: ConfigInput,
): Promise<string | undefined> {
  const notes = [
    ...(options.length === 0 ? [] : [sanitizeLine(options.join(', '), 500)]),
    ...(fallback === undefined
      ? []
      : [password ? 'has a default' : `default: ${sanitizeLine(fallback, 80)}`]),
  ]
  const prompt = `${sanitizeLine(description, 200)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}: `
  const line = await terminal.ask(prompt, { hidden: password })
  return line === '' && fallback !== undefined ? undefined : line
}
