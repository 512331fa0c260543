/** A test that shows a behaviour. */
export interface Shown {
  /** From the root. A file that several test files share is named itself. */
  readonly file: string
  /** A part of the test's title, of a suite's, or of a row of its table. */
  readonly name: string
}

interface Fault {
  /** The letter of its group and its number there. */
  readonly row: string
  /** The fault or the attack. */
  readonly fault: string
  /** How Jetway responds. */
  readonly behaviour: string
}

/** A row has tests, or says in one sentence what is missing. */
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
