import type { ServerDetails } from '@jetway/client'
import { type Command, defineCommand } from '../command.ts'
import { usageError } from '../errors.ts'
import { withTarget } from '../target/connect.ts'
import { TARGET_NOTES, TARGET_OPTIONS } from '../target/options.ts'
import { printable, printableLine, type Terminal } from '../terminal.ts'
import { fetchOffers, type Offers } from './offers.ts'
import { promptSignature, toolSignature } from './signature.ts'

export const command: Command = defineCommand({
  usage: '<target> [options]',
  options: { schema: { type: 'boolean', help: 'print the schemas of tools' }, ...TARGET_OPTIONS },
  notes: TARGET_NOTES,
  run: (args, terminal) =>
    withTarget(args, terminal, async ({ client, positionals }) => {
      const [unexpected] = positionals
      if (unexpected !== undefined) throw usageError(`list takes one target; ${unexpected} is another word`)
      const offers = await fetchOffers(client)
      const server = client.server as ServerDetails
      if (terminal.json) {
        const { info, protocolVersion, capabilities, instructions } = server
        return terminal.printJson({ server: info, protocolVersion, capabilities, instructions, ...offers })
      }
      for (const line of report(server, offers, { schema: args.values.schema === true, terminal }))
        terminal.print(line)
    }),
})

/** A server that speaks 2026-07-28 may omit its name. */
const UNNAMED = { name: 'A server', version: 'of unknown version' }

interface ReportOptions {
  readonly schema: boolean
  readonly terminal: Terminal
}

function report(
  { info = UNNAMED, protocolVersion }: ServerDetails,
  offers: Offers,
  options: ReportOptions,
): readonly string[] {
  const { colour } = options.terminal
  const head = `${colour('bold', printableLine(`${info.name} ${info.version}`))} ${colour('dim', `(${protocolVersion})`)}`
  return [
    head,
    ...section('Tools', offers.tools, options, (tool) => [
      toolSignature(tool),
      tool.description,
      ...(options.schema ? [json('input', tool.inputSchema), json('output', tool.outputSchema)] : []),
    ]),
    ...section('Resources', offers.resources, options, ({ uri, name, description }) => [
      uri,
      description ?? name,
    ]),
    ...section(
      'Resource templates',
      offers.resourceTemplates,
      options,
      ({ uriTemplate, name, description }) => [uriTemplate, description ?? name],
    ),
    ...section('Prompts', offers.prompts, options, (prompt) => [promptSignature(prompt), prompt.description]),
  ]
}

type Lines = readonly [signature: string, ...about: (string | undefined)[]]

/** Prints a list. Prints nothing if the list is empty. */
function section<T>(
  title: string,
  items: readonly T[],
  { terminal: { colour } }: ReportOptions,
  lines: (item: T) => Lines,
): readonly string[] {
  if (items.length === 0) return []
  const rows = items.flatMap((item) => {
    const [signature, ...about] = lines(item)
    return [
      `  ${colour('cyan', printableLine(signature))}`,
      ...about.flatMap((text) =>
        (text === undefined ? [] : indented(text)).map((line) => colour('dim', line)),
      ),
    ]
  })
  return ['', colour('bold', title), ...rows]
}

/** Indents the full description, which is what models read. */
const indented = (text: string): readonly string[] =>
  printable(text.trim())
    .split('\n')
    .map((line) => `    ${line}`)

const json = (name: string, schema: unknown): string | undefined =>
  schema === undefined ? undefined : `${name}: ${JSON.stringify(schema, undefined, 2)}`
