import { Terminal } from '@jetway-apps/terminal/terminal'
import type { Request } from './arguments.ts'
import { CreateError } from './errors.ts'
import type { Streams } from './streams.ts'
import { TEMPLATE_NAMES, type TemplateName, TEMPLATES } from './template-names.ts'

const DEFAULT_FOLDER = 'my-server'
const DEFAULT_TEMPLATE: TemplateName = 'stdio'

/** The choices that the user must make. */
export interface Choice {
  readonly folder: string
  readonly template: TemplateName
}

/**
 * Returns the choices from the command line, and asks for the missing ones in a terminal.
 *
 * @throws CreateError if the folder is missing and there is no terminal; the reason of the interrupt if there
 * was one
 */
export async function choose(
  { folder, template, yes }: Request,
  { stdin, stdout }: Streams,
  interrupt: AbortController,
): Promise<Choice> {
  const asks = !yes && stdin.isTTY === true && stdout.isTTY === true
  if (folder !== undefined && (template !== undefined || !asks))
    return { folder, template: template ?? DEFAULT_TEMPLATE }
  if (!asks)
    throw new CreateError(
      'The folder is missing',
      'Name it: npm create jetway@latest my-server -- --template stdio',
    )
  const terminal = new Terminal({ input: stdin, output: stdout, onInterrupt: () => interrupt.abort() })
  try {
    return {
      folder: folder ?? (await askFolder(terminal, interrupt.signal)),
      template: template ?? (await askTemplate(terminal, interrupt.signal)),
    }
  } finally {
    terminal.close()
  }
}

/** Reads a line, and trims it. The end of the input counts as an interrupt. */
async function ask(terminal: Terminal, prompt: string, signal: AbortSignal): Promise<string> {
  const line = await terminal.ask(prompt, { signal })
  if (line === undefined)
    throw new CreateError('The input has ended', 'Run the command again', { exitCode: 1 })
  return line.trim()
}

const askFolder = async (terminal: Terminal, signal: AbortSignal): Promise<string> =>
  (await ask(terminal, `Folder (${DEFAULT_FOLDER}): `, signal)) || DEFAULT_FOLDER

async function askTemplate(terminal: Terminal, signal: AbortSignal): Promise<TemplateName> {
  const width = Math.max(...TEMPLATE_NAMES.map(({ length }) => length))
  for (const [at, name] of TEMPLATE_NAMES.entries())
    terminal.write(`  ${at + 1}. ${name.padEnd(width)}  ${TEMPLATES[name].summary}\n`)
  for (;;) {
    const line = await ask(terminal, `Template (${DEFAULT_TEMPLATE}): `, signal)
    if (line === '') return DEFAULT_TEMPLATE
    const chosen = TEMPLATE_NAMES.find((name) => name === line) ?? TEMPLATE_NAMES[Number(line) - 1]
    if (chosen !== undefined) return chosen
    terminal.write('Enter a name or a number of the list.\n')
  }
}
