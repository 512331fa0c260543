import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { type Survey, survey, type SurveyedOperation } from '@jetway/openapi'
import { readOpenApi } from '@jetway/openapi/file'
import { type Command, defineCommand } from '../command.ts'
import { CliError, usageError } from '../errors.ts'
import { printableLine, type Terminal } from '../terminal.ts'
import { readChoices, writeChoices } from './choice-file.ts'

export const command: Command = defineCommand({
  usage: '<document> [options]',
  options: {
    out: {
      type: 'string',
      placeholder: 'FILE',
      help: 'write a .ts file in which you choose operations; choices in it are kept',
    },
    files: { type: 'boolean', help: 'follow references to files in the folder of the document' },
  },
  notes: `Models choose badly among many tools, so do not convert a whole API: choose the operations
that your users need.
  jetway openapi api.yaml
  jetway openapi api.yaml --out src/operations.ts`,
  run: async ({ values: { out, files = false }, positionals: [path, unexpected] }, terminal) => {
    if (path === undefined)
      throw usageError('openapi needs a document', 'Name a file with an OpenAPI document')
    if (unexpected !== undefined)
      throw usageError(`openapi takes one document; ${unexpected} is another word`)
    if (out !== undefined && !/\.[cm]?[jt]s$/.test(out))
      throw usageError('--out needs a file with a name that ends in .ts')
    const found = await look(path, files)
    const written = out === undefined ? undefined : write(resolve(out), path, found.operations)
    if (terminal.json)
      return terminal.printJson({ ...found, ...(out !== undefined && { file: resolve(out) }) })
    for (const line of report(found, terminal)) terminal.print(line)
    if (written !== undefined)
      terminal.print(`\n${out} is written: ${written} of ${found.operations.length} operations are chosen`)
  },
})

/** @throws CliError for a file that is no OpenAPI document */
async function look(path: string, files: boolean): Promise<Survey> {
  try {
    return survey(await readOpenApi(path, { files }))
  } catch (cause) {
    throw new CliError('failed', (cause as Error).message.replace(/ \[ERR_MCP_\w+\]$/, ''), { cause })
  }
}

/**
 * @returns how many operations are chosen
 * @throws CliError for a file that this command did not write
 */
function write(path: string, document: string, operations: readonly SurveyedOperation[]): number {
  const before = existsSync(path) ? readChoices(readFileSync(path, 'utf8')) : new Map<string, string>()
  if (before === undefined)
    throw new CliError('failed', `${path} was not written by jetway openapi, so it is not replaced`, {
      hint: 'Name another file with --out, or delete this one first',
    })
  writeFileSync(path, writeChoices(basename(document), operations, before))
  return operations.filter(({ key }) => (before.get(key) ?? 'false') !== 'false').length
}

function report(
  { title, servers, schemes, operations, faults }: Survey,
  { colour }: Terminal,
): readonly string[] {
  const tokens = operations.reduce((sum, each) => sum + each.tokens, 0)
  const width = Math.max(0, ...operations.map(({ key }) => key.length))
  const most = Math.max(0, ...operations.map((each) => String(each.tokens).length))
  const leftOut = faults.filter((fault) => fault.leftOut).length
  return [
    colour('bold', printableLine(title === '' ? 'A document without a title' : title)),
    ...(servers.length === 0 ? [] : [colour('dim', printableLine(`servers: ${servers.join(', ')}`))]),
    ...(schemes.length === 0 ? [] : [colour('dim', printableLine(`auth: ${schemes.join(', ')}`))]),
    '',
    ...operations.map(
      ({ key, name, tokens: each, deprecated }) =>
        `  ${colour('cyan', printableLine(key.padEnd(width)))}  ${String(each).padStart(most)}  ${printableLine(name)}${deprecated ? colour('yellow', ' (deprecated)') : ''}`,
    ),
    '',
    `${count(operations.length, 'operation')}, about ${tokens} tokens if all become tools`,
    ...(faults.length === 0
      ? []
      : ['', colour('bold', `${count(faults.length, 'fault')}, ${leftOut} of which leave out an operation`)]),
    ...faults.map(
      ({ where, problem }) => `  ${colour('yellow', printableLine(where))}: ${printableLine(problem)}`,
    ),
  ]
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`
