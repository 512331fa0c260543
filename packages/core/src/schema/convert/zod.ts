import type { JsonSchema, StandardIssue, StandardSchema } from '../types.ts'

/**
 * The part of zod 4's public core that this module reads. zod itself is never imported. See
 * https://zod.dev/packages/core.
 */
export interface ZodSchema extends Partial<StandardSchema> {
  readonly _zod: {
    readonly def: ZodDef
    readonly innerType?: ZodSchema
    /** Validates without describing issues. */
    readonly run?: (payload: ZodPayload, context: object) => ZodPayload | Promise<ZodPayload>
    /** The schema's own conversion, which replaces zod's. */
    readonly toJSONSchema?: unknown
  }
  /** Undefined for a schema created with zod's core alone. */
  readonly safeParse?: ZodParse
  readonly safeParseAsync?: (...args: Parameters<ZodParse>) => Promise<ReturnType<ZodParse>>
  /** The author's metadata. Schemas of `zod/mini` do not have this method. */
  readonly meta?: () => Readonly<Record<string, unknown>> | undefined
  /** Schemas of `zod/mini` do not have this method. */
  readonly nullable?: () => { check(add: (payload: ZodPayload) => void): { readonly safeParse: ZodParse } }
}

interface ZodPayload {
  readonly value: unknown
  readonly issues: unknown[]
}

/**
 * Calls `error` for each issue that has no message of its own. If `error` returns undefined, zod creates the
 * message.
 */
export type ZodParse = (
  value: unknown,
  params: { readonly error: () => void },
) => { readonly data?: unknown; readonly error?: { readonly issues: readonly StandardIssue[] } | undefined }

export interface ZodDef {
  readonly type: string
  readonly shape?: Readonly<Record<string, ZodSchema>>
  readonly catchall?: ZodSchema
  readonly element?: ZodSchema
  readonly items?: readonly ZodSchema[]
  readonly rest?: ZodSchema | null
  readonly valueType?: ZodSchema
  readonly options?: readonly ZodSchema[]
  readonly left?: ZodSchema
  readonly right?: ZodSchema
  readonly innerType?: ZodSchema
  readonly in?: ZodSchema
  readonly out?: ZodSchema
  readonly getter?: () => ZodSchema
  readonly values?: readonly unknown[]
  readonly defaultValue?: unknown
}

export type Side = 'input' | 'output'

/** @returns the schema if it was created by any build of zod 4, otherwise undefined */
export function asZod(schema: object): ZodSchema | undefined {
  const { _zod: internals } = schema as Partial<ZodSchema>
  return internals?.def === undefined ? undefined : (schema as ZodSchema)
}

export const definitionOf = ({ _zod: internals }: ZodSchema): ZodDef => internals.def

/**
 * Returns the schema inside a wrapper such as `optional`, `default` or `lazy`, or inside one side of a pipe.
 */
export function uncover(schema: ZodSchema, side: Side): ZodSchema | undefined {
  const { _zod: internals } = schema
  const { def } = internals
  // The author's getter may create a new schema on every call, but zod keeps the first one.
  if (def.type === 'lazy') return internals.innerType ?? def.getter?.()
  if (def.type === 'pipe') return side === 'input' ? def.in : def.out
  return def.innerType
}

function children(schema: ZodSchema, side: Side): [segment: string, child: ZodSchema][] {
  if (asZod(schema) === undefined) return []
  const def = definitionOf(schema)
  const found: [string, ZodSchema | null | undefined][] = [
    ['', uncover(schema, side)],
    ...Object.entries(def.shape ?? {}).map(([key, child]): [string, ZodSchema] => [`.${key}`, child]),
    ...(def.items ?? []).map((child, i): [string, ZodSchema] => [`[${i}]`, child]),
    ...(def.options ?? []).map((child): [string, ZodSchema] => ['', child]),
    ['[]', def.element],
    ['[]', def.rest],
    ['.*', def.catchall],
    ['.*', def.valueType],
    ['', def.left],
    ['', def.right],
  ]
  return found.filter((entry): entry is [string, ZodSchema] => entry[1] != null)
}

function walk(root: ZodSchema, visit: (schema: ZodSchema) => void): void {
  const seen = new Set<ZodSchema>()
  const pending = [root]
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    if (seen.has(schema)) continue
    seen.add(schema)
    visit(schema)
    pending.push(...children(schema, 'output').map(([, child]) => child))
  }
}

/**
 * Returns true for a plain `z.object`. Unlike strict, loose and catch-all objects, it drops unknown properties.
 */
export const isStripping = ({ _zod: { def } }: ZodSchema): boolean =>
  def.type === 'object' && def.catchall === undefined

/**
 * Determines whether any object in a schema drops unknown properties, and which of these objects are part of an
 * intersection.
 */
export function strippingObjects(root: ZodSchema): { any: boolean; joined: ReadonlySet<ZodSchema> } {
  let any = false
  const joined = new Set<ZodSchema>()
  walk(root, (schema) => {
    if (isStripping(schema)) any = true
    if (definitionOf(schema).type === 'intersection') collectJoined(schema, joined, new Set())
  })
  return { any, joined }
}

/** Collects the schemas that describe the same object, but not the schemas of its properties. */
function collectJoined(schema: ZodSchema, into: Set<ZodSchema>, seen: Set<ZodSchema>): void {
  if (seen.has(schema)) return
  seen.add(schema)
  if (isStripping(schema)) into.add(schema)
  const { left, right, options = [] } = definitionOf(schema)
  for (const part of [left, right, uncover(schema, 'output'), ...options]) {
    if (part !== undefined) collectJoined(part, into, seen)
  }
}

/** Converts a schema with zod, but leaves the chosen objects open to unknown properties. */
export function toOpenJsonSchema(
  schema: ZodSchema,
  opens: (object: ZodSchema) => boolean,
): JsonSchema | undefined {
  const override = (at: { zodSchema: ZodSchema; jsonSchema: Record<string, unknown> }): void => {
    if (isStripping(at.zodSchema) && opens(at.zodSchema)) delete at.jsonSchema['additionalProperties']
  }
  return schema['~standard']?.jsonSchema?.output({ target: 'draft-2020-12', libraryOptions: { override } })
}

interface Culprit {
  /** The path of the subschema; an empty string for the root. */
  readonly path: string
  readonly schema: ZodSchema
}

/** Returns the subschema that zod could not convert, because zod's error does not name it. */
export function findUnconvertible(schema: ZodSchema, side: Side, seen: Set<ZodSchema> = new Set()): Culprit {
  seen.add(schema)
  const culprit = children(schema, side).find(([, child]) => !seen.has(child) && !converts(child, side))
  if (culprit === undefined) return { path: '', schema }
  const found = findUnconvertible(culprit[1], side, seen)
  return { ...found, path: culprit[0] + found.path }
}

function converts(schema: ZodSchema, side: Side): boolean {
  const converter = schema['~standard']?.jsonSchema?.[side]
  // Schemas of `zod/mini` have no converter, and a field of another library has no zod internals.
  if (converter === undefined) return asZod(schema) !== undefined
  try {
    converter({ target: 'draft-2020-12' })
    return true
  } catch {
    return false
  }
}
