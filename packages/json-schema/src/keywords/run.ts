import type { Counter } from '../limit.ts'
import type { ValidationError } from '../types.ts'

/** The state of one validation. */
export interface Run {
  /** The failures so far. A check that returns false must have added at least one. */
  readonly failures: Failure[]
  /** If true, failures are described. If false, only the verdict is determined, which is cheaper. */
  readonly explains: boolean
  /** The first routine encountered for each dynamic anchor. */
  readonly anchors: Map<string, Routine>
  /** What the current routine has evaluated. See `evaluated.ts`. */
  evaluated: unknown[]
  /** The number of failures before the current routine started. */
  base: number
  /** Set when a failure has ended the routine. Ajv then returns immediately, except after a failing reference. */
  hasEnded: boolean
  /** The approximate number of values visited. */
  steps: number
  /** Counts all work. Undefined if there is no limit. */
  readonly counter: Counter | undefined
}

export type Failure = { -readonly [Key in keyof ValidationError]: ValidationError[Key] }

/**
 * @returns whether the value is valid, or undefined if it is valid and the remaining keywords in the group
 * must be skipped
 */
export type Check = (data: unknown, run: Run) => boolean | undefined

/** A reference that applies to the same value as the routine that contains it. */
export interface Onward {
  readonly reference: string
  /** Returns the possible targets. They are known only after all routines have been compiled. */
  readonly targets: () => readonly Routine[]
}

/** The compiled form of a referenced schema, or of the whole schema. */
export interface Routine {
  check: Check
  /** The number of slots in which a run of this routine records what is evaluated. */
  slots: number
  /**
   * The properties that the last successful run has evaluated. They are the same for every run unless
   * `isDynamic` is set.
   */
  props: unknown
  items: unknown
  readonly isDynamic: { props: boolean; items: boolean }
  isComplete: boolean
  readonly onward: Onward[]
}

/** Stands in for a failure when the caller needs only the verdict. */
export const UNREAD: Failure = { keyword: '', instancePath: '', schemaPath: '', params: {} }

const CALL_STEPS = 8

export function call(routine: Routine, data: unknown, run: Run): boolean {
  const { evaluated, base } = run
  run.counter?.spend(CALL_STEPS)
  run.base = run.failures.length
  if (routine.slots > 0) run.evaluated = Array.from({ length: routine.slots })
  if (routine.isDynamic.props) routine.props = undefined
  if (routine.isDynamic.items) routine.items = undefined
  const isValid = routine.check(data, run) !== false
  run.evaluated = evaluated
  run.base = base
  run.hasEnded = false
  return isValid
}

/** Adds a segment to the start of each failure's path, for all failures since `start`. */
export function locate(run: Run, start: number, key: string | number): void {
  if (!run.explains) return
  const { failures } = run
  const segment = `/${escapePointer(String(key))}`
  // A failure that ends a routine replaces all earlier ones, so there may be fewer failures than at the start.
  const from = Math.min(start, failures.length - 1)
  run.counter?.locate(failures.length - from, segment)
  for (let at = from; at < failures.length; at++) {
    const failure = failures[at]!
    if (failure !== UNREAD) failure.instancePath = `${segment}${failure.instancePath}`
  }
}

/** Checks a part of the value. */
export function checkAt(check: Check, part: unknown, run: Run, key: string | number): boolean {
  const start = run.failures.length
  const isValid = check(part, run) !== false
  if (!isValid) locate(run, start, key)
  return isValid
}

export const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
