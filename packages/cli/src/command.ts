import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** An option of a command. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string'
  /** The placeholder for a string value in `--help`. */
  readonly placeholder?: string
  readonly help: string
  readonly short?: string
  /** Whether the option may be given several times. */
  readonly multiple?: true
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<S extends OptionSpec> = S extends { readonly multiple: true }
  ? readonly string[]
  : { readonly boolean: boolean; readonly string: string }[S['type']]

/** The values of the options that were given. */
export type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]?: ValueOf<O[K]> }

/** A parsed command line. */
export interface Arguments<O extends OptionSpecs = OptionSpecs> {
  readonly values: OptionValues<O>
  readonly positionals: readonly string[]
  /** The arguments after `--`; the list may be empty. Undefined if there is no `--`. */
  readonly rest: readonly string[] | undefined
}

/** A command. Each is exported by its own module, which is imported when the command runs. */
export interface Command {
  /** The arguments after the command's name, such as `<target> <tool> [arguments]`. */
  readonly usage: string
  /** The options of this command, in addition to the common options. */
  readonly options: OptionSpecs
  /** Lines printed below the options in `--help`, such as examples. */
  readonly notes?: string
  /**
   * Runs the command and prints its result. Resolves to the exit code; undefined means 0. @throws CliError
   */
  run(args: Arguments, terminal: Terminal): Promise<ExitCode | void>
}

interface TypedCommand<O extends OptionSpecs> extends Omit<Command, 'options' | 'run'> {
  readonly options: O
  run(args: Arguments<O>, terminal: Terminal): Promise<ExitCode | void>
}

/** Infers the types of the values from the options. */
export const defineCommand = <const O extends OptionSpecs>(command: TypedCommand<O>): Command => command
