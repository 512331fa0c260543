import type { SurveyedOperation } from '@jetway/openapi'
import { printableLine } from '../terminal.ts'

/** A line exactly as it appears in the file. */
const LINE = /^\s*'((?:[^'\\]|\\.)*)':\s*(true|false|'tool'|'resource'),?/

const MARK = 'Written by `jetway openapi`'

/** Reads the choices from an earlier file. Returns undefined for a file that this command did not write. */
export function readChoices(text: string): ReadonlyMap<string, string> | undefined {
  if (text !== '' && !text.includes(MARK)) return undefined
  const found = text.split('\n').map((each) => LINE.exec(each))
  return new Map(found.flatMap((match) => (match === null ? [] : [[unquote(match[1]!), match[2]!] as const])))
}

/**
 * Writes a module with one line for each operation, in which an author changes `false` to `true`. Operations that were
 * not there before are `false`: nobody has chosen them.
 */
export function writeChoices(
  source: string,
  operations: readonly SurveyedOperation[],
  before: ReadonlyMap<string, string>,
): string {
  const sections = Array.from(groupByTag(operations), ([tag, members]) => [
    `  // ${oneLine(tag)}`,
    ...members.map((operation) => line(operation, before.get(operation.key) ?? 'false')),
  ])
  return [
    '/**',
    ` * The operations of ${oneLine(source)} that become tools: change \`false\` to \`true\` for those that your users need.`,
    ` * ${MARK}, which keeps your choices when you run it again.`,
    ' */',
    "export const operations: Readonly<Record<string, boolean | 'tool' | 'resource'>> = {",
    ...sections.flat(),
    '}',
    '',
  ].join('\n')
}

function groupByTag(
  operations: readonly SurveyedOperation[],
): ReadonlyMap<string, readonly SurveyedOperation[]> {
  const groups = new Map<string, SurveyedOperation[]>()
  for (const operation of operations) {
    const tag = operation.tags[0] ?? 'without a tag'
    groups.set(tag, [...(groups.get(tag) ?? []), operation])
  }
  return groups
}

function line({ key, name, tokens, summary, deprecated }: SurveyedOperation, choice: string): string {
  const about = [
    `${name}, ${tokens} tokens`,
    ...(deprecated ? ['deprecated'] : []),
    ...(summary === undefined ? [] : [summary]),
  ]
  return `  '${quote(key)}': ${choice}, // ${oneLine(about.join(': ')).slice(0, 100)}`
}

/** The document decides these texts, and a line break in one would end the comment. */
const oneLine = (text: string): string => printableLine(text).replaceAll('*/', '* /')

const quote = (text: string): string => printableLine(text).replaceAll('\\', '\\\\').replaceAll("'", "\\'")
const unquote = (text: string): string => text.replaceAll(/\\(.)/g, '$1')
