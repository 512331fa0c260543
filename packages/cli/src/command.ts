/** Where a command works, and to whom it speaks: a line at a time, without its end. */
export interface CommandIo {
  readonly cwd: string
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

/** What a command was told beside its name. */
export interface CommandOptions {
  /** The file of the server, if it was given. */
  readonly server: string | undefined
  /** The name of its export, if it was given. */
  readonly name: string | undefined
  /** The folder of the cache. */
  readonly out: string
}
