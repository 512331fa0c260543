import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { CliError } from './errors.ts'

type Output = Writable & { readonly isTTY?: boolean }

/** The streams and the environment of a process. Tests replace them. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface TerminalSettings {
  /** `--json` */
  readonly json: boolean
  /** `--yes` */
  readonly yes: boolean
}

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const CODES: Readonly<Record<Colour, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

export type Paint = (colour: Colour, text: string) => string

/**
 * The output of a command. Only the result is written to stdout; notes, progress, prompts and errors are
 * written to stderr.
 */
export class Terminal {
  readonly streams: Streams
  readonly json: boolean
  /**
   * Whether the user can be prompted: stdin and stderr are terminals, `--yes` is not set, and this is not CI.
   */
  readonly interactive: boolean

  constructor(streams: Streams, { json, yes }: TerminalSettings) {
    const { stdin, stderr, env } = streams
    this.streams = streams
    this.json = json
    this.interactive = stdin.isTTY === true && stderr.isTTY === true && !yes && !isSet(env['CI'])
  }

  /** Prints the result or part of it, followed by a line break. */
  print(text: string): void {
    this.streams.stdout.write(`${text}\n`)
  }

  /** Prints the JSON document for `--json`. */
  printJson(value: unknown): void {
    this.print(jsonText(value, 2))
  }

  /** Prints a line on stderr, for the user only. */
  note(text: string): void {
    this.streams.stderr.write(`${text}\n`)
  }

  /** Prints a line from the server. */
  noteFromServer(text: string): void {
    this.note(this.noteColour('dim', printable(text)))
  }

  /** Prints an error. For an unexpected error (one that is not a `CliError`), prints only the message. */
  error(error: unknown): void {
    const { code, message, hint } = describe(error)
    if (this.json) {
      this.note(jsonText({ error: { code, message, hint } }))
      return
    }
    this.note(`${this.noteColour('red', 'error')}: ${printable(message)}`)
    if (hint !== undefined) this.note(printable(hint))
  }

  /** Colours text for stdout. */
  readonly colour: Paint = (colour, text) => paint(this.streams.stdout, this.streams.env, colour, text)

  /** Colours text for stderr. */
  readonly noteColour: Paint = (colour, text) => paint(this.streams.stderr, this.streams.env, colour, text)
}

export const processStreams = (): Streams => ({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
})

/**
 * Replaces control characters except line breaks and tabs, because a server's escape sequences could change
 * what the user sees.
 */
export const printable = (text: string): string =>
  text.replaceAll(/[^\P{C}\n\t]|[\u2028\u2029]/gu, '\u{FFFD}')

/**
 * Like `printable`, but for a name. After a line break, the rest of the name would look like output of this
 * command.
 */
export const printableLine = (text: string): string => printable(text).replaceAll(/[\n\t]/g, '\u{FFFD}')

/** Escapes characters that JSON leaves unescaped and that could change what the user sees. */
const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replaceAll(/[^\P{C}\n]|[\u2028\u2029]/gu, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

function describe(error: unknown): { code: string; message: string; hint?: string } {
  const message = error instanceof Error ? error.message : String(error)
  if (!(error instanceof CliError)) return { code: 'failed', message }
  return { code: error.code, message, ...(error.hint !== undefined && { hint: error.hint }) }
}

/**
 * Returns whether a variable has a value that is not empty. Any such value disables colours:
 * https://no-color.org.
 */
const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

function paint(stream: Output, env: Streams['env'], colour: Colour, text: string): string {
  if (stream.isTTY !== true || isSet(env['NO_COLOR']) || env['TERM'] === 'dumb') return text
  const [on, off] = CODES[colour]
  return `\u001B[${on}m${text}\u001B[${off}m`
}
