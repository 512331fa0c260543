/** What a check has found. */
export interface Finding {
  /** The check, such as `stdout`. Stable: scripts compare it. */
  readonly check: string
  readonly verdict: 'ok' | 'warning' | 'fault' | 'skipped'
  /** What was seen: a line of output, a header, a path. */
  readonly evidence: string
  /** One thing to do. Given unless the verdict is `ok` or `skipped`. */
  readonly advice?: string
}

/** The findings about one server or one file of a host. */
export interface Section {
  /** Such as `cursor:weather`. */
  readonly name: string
  readonly findings: readonly Finding[]
}
