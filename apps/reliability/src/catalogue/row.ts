/** A test that demonstrates a behaviour. */
export interface Shown {
  /** The path from the root. It may be a file that several test files share. */
  readonly file: string
  /** Part of the title of a test or suite, or of a row in a table of cases. */
  readonly name: string
}

interface Fault {
  /** The group's letter, and the number within the group. */
  readonly row: string
  /** The fault or attack. */
  readonly fault: string
  /** Jetway's response. */
  readonly behaviour: string
}

/** A row names tests, or describes the missing test in one sentence. */
export type Row = Fault &
  (
    | { readonly tests: readonly Shown[]; readonly lacks?: never }
    | { readonly lacks: string; readonly tests?: never }
  )

/** The rows on one subject. */
export interface Group {
  readonly title: string
  readonly rows: readonly Row[]
}
