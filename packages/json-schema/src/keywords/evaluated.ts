import { type Evaluated, type Scope, Slot } from './scope.ts'

/** Updates the record of which properties and items a run has evaluated. */
export type Step = (evaluated: unknown[]) => void

export type Side = 'props' | 'items'

export function newSlot({ routine, hasUnevaluated }: Scope): Slot {
  return new Slot(hasUnevaluated ? routine.slots++ : -1)
}

/**
 * Adds what a subschema has evaluated to what its parent has evaluated.
 *
 * @returns the step that each run must perform
 */
export function mergeEvaluated(
  scope: Scope,
  part: Partial<Readonly<Record<Side, Evaluated>>>,
  as?: typeof Slot,
): Step | undefined {
  const steps = (['props', 'items'] as const).flatMap((side) => mergeSide(scope, side, part[side], as))
  if (steps.length === 0 || !scope.hasUnevaluated) return undefined
  return (evaluated) => steps.forEach((step) => step(evaluated))
}

function mergeSide(scope: Scope, side: Side, from: Evaluated, as?: typeof Slot): Step[] {
  const to = scope[side]
  if (to === true || from === undefined) return []
  scope.place.document.counter?.copy([to, from])
  const [merged, steps] = merge(to, from)
  if (as === undefined || merged instanceof Slot) {
    scope[side] = merged
    return steps
  }
  const slot = newSlot(scope)
  scope[side] = slot
  return [...steps, (evaluated) => (evaluated[slot.at] = copied(merged))]
}

function merge(to: Evaluated, from: Evaluated): [Evaluated, Step[]] {
  if (to === undefined) return [from, []]
  if (to instanceof Slot) {
    const step: Step = (evaluated) =>
      (evaluated[to.at] = union(evaluated[to.at], from instanceof Slot ? evaluated[from.at] : from))
    return [to, [step]]
  }
  if (from instanceof Slot)
    return [from, [(evaluated) => (evaluated[from.at] = union(evaluated[from.at], to))]]
  return [union(copied(to), from) as Evaluated, []]
}

function union(to: unknown, from: unknown): unknown {
  if (to === true || from === undefined) return to
  if (from === true) return true
  if (typeof from === 'number') return (to as number) > from ? to : from
  return Object.assign(to ?? {}, from)
}

export function copied(known: Evaluated): Evaluated {
  return typeof known === 'object' ? { ...(known as Readonly<Record<string, true>>) } : known
}
