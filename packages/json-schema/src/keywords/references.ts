import { isNode, resolveReference } from '../document.ts'
import { mergeEvaluated, newSlot } from './evaluated.ts'
import { hasReference } from './rules.ts'
import { call, type Check, type Routine, type Run } from './run.ts'
import { type Scope, Slot } from './scope.ts'

/** @throws Error for a reference that leads nowhere */
export function reference(scope: Scope, $ref: string): Check | undefined {
  const { root } = scope.place.document
  if (($ref === '#' || $ref === '#/') && scope.baseUri === root.baseUri)
    return callKnown(scope, root.routine ?? scope.makeRoutine(root))
  const place = resolveReference(scope.place.document, scope.baseUri, $ref)
  if (place === undefined) throw new Error(`can't resolve reference ${$ref} from id ${scope.baseUri}`)
  if (!hasReference(place.schema)) {
    const part = scope.makePart(scope, place.schema, { path: $ref })
    const step = mergeEvaluated(scope, part)
    if (step === undefined) return part.check
    return (data, run) => {
      const isValid = part.check(data, run)
      step(run.evaluated)
      return isValid
    }
  }
  return callKnown(scope, place.routine ?? scope.makeRoutine(place))
}

/** Where the same routine is called each time, what it evaluates may be known beforehand. */
function callKnown(scope: Scope, routine: Routine): Check {
  return calling(scope, () => routine, routine.isComplete ? routine : undefined)
}

function calling(scope: Scope, routineOf: (run: Run) => Routine, known?: Routine): Check {
  const props = known && !known.isDynamic.props ? (known.props as undefined) : newSlot(scope)
  const items = known && !known.isDynamic.items ? (known.items as undefined) : newSlot(scope)
  const fill = scope.hasUnevaluated && (props instanceof Slot || items instanceof Slot)
  const asSlots = mergeEvaluated(scope, pick({ props, items }, true), Slot)
  const asKnown = mergeEvaluated(scope, pick({ props, items }, false))
  return (data, run) => {
    const routine = routineOf(run)
    if (!call(routine, data, run)) return false
    if (fill) note(run.evaluated, { props, items }, routine)
    asSlots?.(run.evaluated)
    asKnown?.(run.evaluated)
    return true
  }
}

type Sides = { readonly props: unknown; readonly items: unknown }

function pick({ props, items }: Sides, slots: boolean): { props?: undefined; items?: undefined } {
  return {
    ...(props instanceof Slot === slots && { props: props as undefined }),
    ...(items instanceof Slot === slots && { items: items as undefined }),
  }
}

function note(evaluated: unknown[], { props, items }: Sides, routine: Routine): void {
  if (props instanceof Slot) evaluated[props.at] = copy(routine.props)
  if (items instanceof Slot) evaluated[items.at] = routine.items
}

const copy = (props: unknown): unknown => (isNode(props) ? { ...props } : props)

/**
 * Makes a schema the one that a dynamic reference leads to, unless another has been met before in the run.
 */
export function dynamicAnchor(scope: Scope, anchor: string): Check {
  const { document } = scope.place
  document.dynamicAnchors.add(anchor)
  const routine =
    scope.path === '#'
      ? scope.routine
      : scope.makeRoutine({ schema: scope.schema, document, baseUri: document.root.baseUri })
  return (_, run) => {
    if (!run.anchors.has(anchor)) run.anchors.set(anchor, routine)
    return true
  }
}

export function dynamicReference(scope: Scope, $dynamicRef: string, keyword: string): Check {
  if (!$dynamicRef.startsWith('#')) throw new Error(`"${keyword}" only supports hash fragment reference`)
  const anchor = $dynamicRef.slice(1)
  const isKnown = scope.place.document.dynamicAnchors.has(anchor)
  const check = calling(scope, (run) => (isKnown && run.anchors.get(anchor)) || scope.routine)
  // Keywords about any type that come after a dynamic reference are never reached in ajv.
  return (data, run) => (check(data, run) ? undefined : false)
}
