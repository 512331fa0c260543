/** The result of a check. */
export interface Finding {
  /** The name of the check, such as `stdout`. It is stable, because scripts may compare it. */
  readonly check: string
  /** `step` means that a program cannot check this, so the user must. */
  readonly verdict: 'ok' | 'warning' | 'fault' | 'skipped' | 'step'
  /** What the check found, such as a line of output, a header or a path. */
  readonly evidence: string
  /** One thing that the user should do. Absent only if the verdict is `ok` or `skipped`. */
  readonly advice?: string
  /** The page that states the rule of a directory. */
  readonly source?: string
  /** The date on which the page was read, as YYYY-MM-DD. */
  readonly read?: string
}

/** The findings about one server or about one host's file. */
export interface Section {
  /** The name of the server or host, such as `cursor:weather`. */
  readonly name: string
  readonly findings: readonly Finding[]
}
