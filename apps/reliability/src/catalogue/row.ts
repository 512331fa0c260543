/** A test that shows a behaviour. */
export interface Shown {
  /** The path from the root, also for a file that several test files share. */
  readonly file: string
  /** A part of the title of a test or a suite, or of a row of a table. */
  readonly name: string
}

interface Fault {
  /** The letter of the group and the number in the group. */
  readonly row: string
  /** The fault or the attack. */
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

/** Rows on one subject. */
export interface Group {
  readonly title: string
  readonly rows: readonly Row[]
}
