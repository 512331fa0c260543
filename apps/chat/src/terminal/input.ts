import type { ConfigInput } from '@jetway/client/config'
import type { Terminal } from './terminal.ts'
import { shownShort } from './text.ts'

/** Asks for what a configuration file leaves to the user. An empty line is its default, where it has one. */
export async function askForInput(
  terminal: Pick<Terminal, 'ask'>,
  { id, description = id, default: fallback, password, options }: ConfigInput,
): Promise<string | undefined> {
  const notes = [
    ...(options.length === 0 ? [] : [shownShort(options.join(', '), 500)]),
    ...(fallback === undefined ? [] : [`empty for ${password ? 'the default' : shownShort(fallback, 80)}`]),
  ]
  const prompt = `${shownShort(description, 200)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}: `
  const line = await terminal.ask(prompt, { hidden: password })
  return line === '' && fallback !== undefined ? undefined : line
}
