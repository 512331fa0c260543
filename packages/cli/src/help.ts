import type { Command, OptionSpecs } from './command.ts'
import { COMMANDS } from './commands.ts'
import { COMMON_OPTIONS } from './parse.ts'

/** Returns the text of `jetway --help`. */
export function generalHelp(): string {
  return [
    'Usage: jetway <command> [options]',
    '',
    ...columns(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary])),
    '',
    'jetway <command> --help describes a command. jetway --version prints the version.',
  ].join('\n')
}

/** Returns the text of `jetway <command> --help`. */
export function commandHelp(name: string, summary: string, { usage, options, notes }: Command): string {
  return [
    `Usage: jetway ${name} ${usage}`,
    '',
    `${summary}.`,
    '',
    ...columns(optionRows({ ...options, ...COMMON_OPTIONS })),
    ...(notes === undefined ? [] : ['', notes]),
  ].join('\n')
}

type Row = readonly [left: string, right: string]

const optionRows = (options: OptionSpecs): readonly Row[] =>
  Object.entries(options).map(([name, { short, placeholder, help }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${placeholder === undefined ? '' : ` ${placeholder}`}`,
    help,
  ])

function columns(rows: readonly Row[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
