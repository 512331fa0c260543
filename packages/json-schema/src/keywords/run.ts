import type { Counter } from '../limit.ts'
import type { ValidationError } from '../types.ts'

/** A validation of one value. */
export interface Run {
  /** Failures so far. A check that returns false has added at least one. */
  readonly failures: Failure[]
  /** Whether failures are described. A verdict alone is cheaper. */
  readonly explains: boolean
  /** The first routine met for each dynamic anchor. */
  readonly anchors: Map<string, Routine>
  /** Notes of the current routine, see `evaluated.ts`. */
  evaluated: unknown[]
  /** How many failures there were before the routine that runs. */
  base: number
  /** Whether the routine has ended at a failure: ajv returns at once, but not from a reference that fails. */
  hasEnded: boolean
  /** How many values have been looked at, about. */
  steps: number
  /** Counts all work if it is limited. */
  readonly counter: Counter | undefined
}

export type Failure = { -readonly [Key in keyof ValidationError]: ValidationError[Key] }

/**
 * @returns whether the value passes; undefined if it does and the keywords that
 *   follow in the group are left out
 */
export type Check = (data: unknown, run: Run) => boolean | undefined

/** A reference that is followed with the value that its routine got. */
export interface Onward {
  readonly reference: string
  /** Where it may lead; known once all routines are made. */
  readonly targets: () => readonly Routine[]
}

/** A schema that is reached by reference, or the whole one. */
export interface Routine {
  check: Check
  /** How many places its runs need to note what is evaluated. */
  slots: number
  /**
   * The properties that its last successful run has evaluated; the same after each run unless `isDynamic`.
   */
  props: unknown
  items: unknown
  readonly isDynamic: { props: boolean; items: boolean }
  isComplete: boolean
  readonly onward: Onward[]
}

/** Stands for failures that nobody reads. */
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

/** Says where in the value the failures since `start` are, seen from one level further up. */
export function locate(run: Run, start: number, key: string | number): void {
  if (!run.explains) return
  const { failures } = run
  const segment = `/${escapePointer(String(key))}`
  // One that ends a routine takes the place of all before it.
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
