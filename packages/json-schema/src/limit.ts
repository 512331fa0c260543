import { CountedPattern } from './counted-pattern.ts'

/** Thrown by a validator that needs more steps than `maxSteps` allows. */
export class StepLimitError extends Error {
  override readonly name: string = 'StepLimitError'

  constructor(most: number) {
    super(`it takes more than ${most} steps`)
  }
}

type Schema = Readonly<Record<string, unknown>>
type Check<Run> = (data: unknown, run: Run) => boolean | undefined

/** A limit for `createValidator`. Use `maxSteps` to create one. */
export interface StepLimit {
  /** Starts a count of the steps for one validation, or for creating one validator. */
  start(): Counter
}

/**
 * Limits a validator's work, for schemas and values that nobody has reviewed. The limit applies to the steps
 * for creating the validator, and separately to the steps of each validation. A step takes about as long as
 * checking one value against one part of the schema, and a million steps take 0.1 to 0.3 s.
 *
 * With a limit, patterns are matched without backtracking, so that they cannot take exponential time, and
 * references to metaschemas are not resolved.
 */
export function maxSteps(steps: number): StepLimit {
  return { start: () => new Counter(steps) }
}

/** Returns the number of steps for a string. 64 characters take about as long as one step. */
const ofText = (length: number): number => length >> 6

/** Returns the number of steps for reading a value, including nested values down to `depth`, or all of them. */
function sizeOf(value: unknown, depth = Infinity): number {
  if (typeof value === 'string') return 1 + ofText(value.length)
  if (typeof value !== 'object' || value === null || depth === 0) return 1
  let size = 1
  for (const [key, child] of Object.entries(value)) size += ofText(key.length) + sizeOf(child, depth - 1)
  return size
}

/** Counts steps. Each kind of work is weighted so that one step always takes about the same time. */
export class Counter {
  readonly #most: number
  readonly #members = new Map<Schema, number>()
  #noted: number | undefined
  #steps = 0

  constructor(most: number) {
    this.#most = most
  }

  /** @throws StepLimitError if the limit is exceeded */
  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > this.#most) throw new StepLimitError(this.#most)
  }

  /**
   * Counts the steps for copying a value. Nested values are copied again at each level.
   *
   * @throws StepLimitError if the limit is exceeded
   */
  copy(value: unknown): void {
    let copied = 0
    const sizeOfCopy = (part: unknown): number => {
      let size = 1
      if (typeof part !== 'object' || part === null) size = sizeOf(part)
      else for (const [key, child] of Object.entries(part)) size += ofText(key.length) + sizeOfCopy(child)
      copied += size
      return size
    }
    sizeOfCopy(value)
    this.spend(2 * copied)
  }

  /**
   * @param isRead - whether a description of the failure will be created and read
   * @throws StepLimitError if the limit is exceeded
   */
  fail(isRead: boolean, [path, params, schema]: readonly [string, unknown, unknown]): void {
    this.spend(isRead ? 36 + (path.length >> 3) + sizeOf(params) + sizeOf(schema, 3) : 4)
  }

  /**
   * Counts the steps for adding a segment to the start of the failures' paths.
   *
   * @throws StepLimitError if the limit is exceeded
   */
  locate(failures: number, segment: string): void {
    this.spend(failures * (1 + ofText(segment.length)))
  }

  /** @throws StepLimitError if the limit is exceeded */
  pattern(source: string): { test(text: string, counter: Counter | undefined): boolean } {
    const pattern = new CountedPattern(source, this)
    return { test: (text, counter) => pattern.test(text, counter!) }
  }

  /**
   * Counts the compilation of a subschema.
   *
   * @throws StepLimitError if the limit is exceeded
   */
  make(schema: Schema | boolean): void {
    this.spend(128 + (typeof schema === 'boolean' ? 0 : this.#membersOf(schema)))
  }

  /**
   * Counts the visits to a subschema.
   *
   * @param noted - the whole schema, if a visit may copy the record of what the whole schema evaluates
   */
  counted<Run extends { readonly counter: Counter | undefined }>(
    check: Check<Run>,
    schema: Schema,
    noted: Schema | undefined,
  ): Check<Run> {
    if (noted !== undefined) this.#noted ??= sizeOf(noted)
    // Looking up a property takes less time than a visit.
    const own = 1 + ((this.#membersOf(schema) + (this.#noted ?? 0)) >> 3)
    return (data, run) => {
      run.counter!.#visit(own, data)
      return check(data, run)
    }
  }

  /**
   * Returns the number of properties. It is cached, because a subschema is compiled again for each reference
   * to it.
   */
  #membersOf(schema: Schema): number {
    let members = this.#members.get(schema)
    if (members === undefined) {
      const { const: constant, enum: values, ...others } = schema
      members = sizeOf(others, 3) + sizeOf([constant, values])
      this.#members.set(schema, members)
    }
    return members
  }

  #visit(own: number, data: unknown): void {
    let steps = own
    if (typeof data === 'string') steps += ofText(data.length)
    else if (typeof data === 'object' && data !== null && !Array.isArray(data))
      steps += Object.keys(data).length
    this.spend(steps)
  }
}
