import { isNode, resolveReference } from '../document.ts'
import { mergeEvaluated, newSlot } from './evaluated.ts'
import { hasReference } from './rules.ts'
import { call, type Check, type Routine, type Run } from './run.ts'
import { type Scope, Slot } from './scope.ts'

/** @throws Error for a reference that cannot be resolved */
export function reference(scope: Scope, $ref: string): Check | undefined {
  const { root } = scope.place.document
  if (($ref === '#' || $ref === '#/') && scope.baseUri === root.baseUri)
    return callKnown(scope, $ref, root.routine ?? scope.makeRoutine(root))
  const place = resolveReference(scope.place.document, scope.baseUri, $ref)
  if (place === undefined) throw new Error(`can't resolve reference ${$ref} from id ${scope.baseUri}`)
  if (!hasReference(place.schema, place.document.referring)) {
    const part = scope.makePart(scope, place.schema, { path: $ref })
    // Merging requires no step in a run, because a keyword before this one that creates a slot also ends the
    // group.
    mergeEvaluated(scope, part)
    return part.check
  }
  return callKnown(scope, $ref, place.routine ?? scope.makeRoutine(place))
}

/** Calls a routine that is known at compile time, so that what it evaluates may also be known. */
function callKnown(scope: Scope, $ref: string, routine: Routine): Check {
  if (scope.isWhole) scope.routine.onward.push({ reference: $ref, targets: () => [routine] })
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

/** Makes a schema the target of a dynamic reference, unless the run has already encountered another target. */
export function dynamicAnchor(scope: Scope, anchor: string): Check {
  const { document } = scope.place
  const holders = document.dynamicAnchors.get(anchor) ?? []
  document.dynamicAnchors.set(anchor, holders)
  const routine =
    scope.path === '#'
      ? scope.routine
      : scope.makeRoutine({ schema: scope.schema, document, baseUri: document.root.baseUri })
  holders.push(routine)
  return (_, run) => {
    if (!run.anchors.has(anchor)) run.anchors.set(anchor, routine)
    return true
  }
}

export function dynamicReference(scope: Scope, $dynamicRef: string, keyword: string): Check {
  if (!$dynamicRef.startsWith('#')) throw new Error(`"${keyword}" only supports hash fragment reference`)
  const anchor = $dynamicRef.slice(1)
  const { root, dynamicAnchors } = scope.place.document
  const holders = dynamicAnchors.get(anchor)
  const isKnown = holders !== undefined
  // Every run begins at the root, so an anchor at the root is always encountered first.
  const targets = (): readonly Routine[] =>
    root.routine !== undefined && holders?.includes(root.routine)
      ? [root.routine]
      : [...(holders ?? []), scope.routine]
  if (scope.isWhole) scope.routine.onward.push({ reference: $dynamicRef, targets })
  const check = calling(scope, (run) => (isKnown && run.anchors.get(anchor)) || scope.routine)
  // After a dynamic reference, ajv never reaches the keywords that apply to any type.
  return (data, run) => (check(data, run) ? undefined : false)
}
