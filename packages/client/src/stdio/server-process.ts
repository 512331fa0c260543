/** The command of a server, and where it runs. */
export interface ServerProcess {
  /** A path, or a name on PATH. No shell is used. */
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the inherited variables. */
  readonly env?: Readonly<Record<string, string>>
  /** `safe`: PATH, HOME and the like, so that the server gets no secrets. @default 'safe' */
  readonly inheritEnv?: 'safe' | 'all' | 'none'
  /** @default the current directory */
  readonly cwd?: string
}
