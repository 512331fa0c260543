import type { Json } from '../document/model.ts'
import { lookUp } from '../document/pointer.ts'
import { isJson } from '../document/values.ts'
import { MAX_DEPTH } from './convert.ts'
import { IN_PLACE } from './keywords.ts'

interface Frame {
  readonly reference: string
  readonly next: Iterator<string>
}

/**
 * Finds references that lead back to their own schema by keywords that apply to the same value, such as `allOf`. Such a
 * schema says nothing, and validators refuse it.
 *
 * The references in one loop are a strongly connected component, found by Tarjan's algorithm, which visits each of them
 * once. Looking for a way back from each reference would take quadratic time.
 */
export class Loops {
  readonly #root: Json
  /** The loop of each reference that was visited. */
  readonly #components = new Map<string, number>()
  readonly #indexes = new Map<string, number>()

  constructor(root: Json) {
    this.#root = root
  }

  /** Whether a definition that refers to another in place is a loop. */
  isLoop(from: string, to: string): boolean {
    if (from === to) return true
    if (!this.#components.has(from)) this.#visit(from)
    return this.#components.get(from) === this.#components.get(to)
  }

  #visit(start: string): void {
    const lows = new Map<string, number>()
    const open: string[] = []
    const frames: Frame[] = []
    const enter = (reference: string): void => {
      const index = this.#indexes.size
      this.#indexes.set(reference, index)
      lows.set(reference, index)
      open.push(reference)
      frames.push({ reference, next: inPlaceReferences(lookUp(this.#root, reference)).values() })
    }
    const lower = (reference: string, low: number): void =>
      void lows.set(reference, Math.min(lows.get(reference) as number, low))
    enter(start)
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { reference } = frame
      const { value: next, done } = frame.next.next()
      if (done !== true) {
        if (!this.#indexes.has(next)) enter(next)
        else if (!this.#components.has(next)) lower(reference, this.#indexes.get(next) as number)
        continue
      }
      frames.pop()
      const low = lows.get(reference) as number
      const above = frames.at(-1)
      if (above !== undefined) lower(above.reference, low)
      if (low !== this.#indexes.get(reference)) continue
      for (const member of open.splice(open.lastIndexOf(reference))) this.#components.set(member, low)
    }
  }
}

function inPlaceReferences(schema: unknown, depth = 0): readonly string[] {
  if (!isJson(schema) || depth > MAX_DEPTH) return []
  const { $ref: reference } = schema
  const own = typeof reference === 'string' ? [reference] : []
  return [...own, ...IN_PLACE.flatMap((keyword) => partsOf(schema[keyword], depth))]
}

const partsOf = (value: unknown, depth: number): readonly string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((part) =>
    inPlaceReferences(part, depth + 1),
  )
