import type { Routine } from './run.ts'

/**
 * Rejects schemas that would check a value against themselves forever. JSON Schema does not define the
 * result, and neither this interpreter nor ajv's code would terminate.
 *
 * @throws Error for a schema that refers to itself without descending into the value
 */
export function refuseLoops(routines: readonly Routine[]): void {
  const open = new Set<Routine>()
  const done = new Set<Routine>()
  const follow = (routine: Routine): void => {
    if (done.has(routine)) return
    open.add(routine)
    for (const { reference, targets } of routine.onward)
      for (const target of targets()) {
        if (open.has(target))
          throw new Error(`reference ${reference} leads back to its own schema without going into the value`)
        follow(target)
      }
    open.delete(routine)
    done.add(routine)
  }
  routines.forEach(follow)
}
