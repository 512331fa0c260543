import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

/** An option of a command. */
export interface OptionSpec {
  readonly type: 'boolean' | 'string'
  /** The placeholder of a string value in `--help`. */
  readonly placeholder?: string
  readonly help: string
  readonly short?: string
  /** The option may be given several times. */
  readonly multiple?: true
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<S extends OptionSpec> = S extends { readonly multiple: true }
  ? readonly string[]
  : { readonly boolean: boolean; readonly string: string }[S['type']]

/** The values of options that were given. */
export type OptionValues<O extends OptionSpecs> = { readonly [K in keyof O]?: ValueOf<O[K]> }

/** A parsed command line. */
export interface Arguments<O extends OptionSpecs = OptionSpecs> {
  readonly values: OptionValues<O>
  readonly positionals: readonly string[]
  /** The words after `--`. Undefined without it: `--` may have no words after it. */
  readonly rest: readonly string[] | undefined
}

/** Each command is a module that exports one of these. The table of commands imports it when it runs. */
export interface Command {
  /** The words after the command's name, such as `<target> <tool> [arguments]`. */
  readonly usage: string
  /** Besides those of every command. */
  readonly options: OptionSpecs
  /** Lines below the options in `--help`, such as examples. */
  readonly notes?: string
  /** Prints the result. Without an exit code, all is fine. @throws CliError */
  run(args: Arguments, terminal: Terminal): Promise<ExitCode | void>
}

interface TypedCommand<O extends OptionSpecs> extends Omit<Command, 'options' | 'run'> {
  readonly options: O
  run(args: Arguments<O>, terminal: Terminal): Promise<ExitCode | void>
}

/** Infers the types of values from the options. */
export const defineCommand = <const O extends OptionSpecs>(command: TypedCommand<O>): Command => command
