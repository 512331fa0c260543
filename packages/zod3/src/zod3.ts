import { type StandardSchema, UsageError } from '@jetway/core'
import { hasCatchall, zod3ToJsonSchema } from './json-schema.ts'
import {
  optionsOf,
  type StandardIssue,
  type StandardResult,
  type Zod3Def,
  type Zod3Node,
  type Zod3Schema,
  type Zod4Schema,
} from './types.ts'

/**
 * Wraps a schema from zod 3.25 or later, or from `zod/v3`, so that Jetway accepts it wherever it accepts
 * schemas. Types, validation, defaults and transforms are zod's own.
 *
 * ```ts
 * server.addTool({ name: 'a', inputSchema: zod3(z.object({ city: z.string() })), handler: ({ city }) => city })
 * ```
 *
 * @throws `ERR_MCP_SCHEMA_UNSUPPORTED` for a schema from an older version of zod 3, or from another library
 */
export function zod3<S extends Zod3Schema>(schema: S): StandardSchema<S['_input'], S['_output']> {
  const { _def: def, '~standard': standard } = schema as Partial<Zod3Node & StandardSchema>
  if (typeof def?.typeName !== 'string' || !def.typeName.startsWith('Zod')) {
    throw unsupported(
      'zod3() was given what is no schema of zod 3; give those of other libraries as they are',
    )
  }
  if (typeof standard?.validate !== 'function') {
    throw unsupported(
      'zod3() needs a schema of zod 3.25 or later; update "zod", all earlier code works with it',
    )
  }
  return cover(schema as unknown as Zod3Node) as unknown as StandardSchema<S['_input'], S['_output']>
}

const unsupported = (problem: string): Error => new UsageError('ERR_MCP_SCHEMA_UNSUPPORTED', problem)

/** The wrapped schemas, keyed by definition, so that a schema that is used in several places has only one wrapper. */
const covers = new WeakMap<Zod3Def, Zod4Schema>()

/**
 * Gives a zod 3 schema the internals of a zod 4 schema, so that code for zod 4 also works with it. That code
 * removes unknown properties from outputs, and finds types that cannot be converted.
 */
function cover(schema: Zod3Node): Zod4Schema {
  const def = schema._def
  const known = covers.get(def)
  if (known !== undefined) return known
  const convert =
    (side: 'input' | 'output') =>
    ({ target, libraryOptions }: { target: string; libraryOptions?: object | undefined }) => {
      if (target !== 'draft-2020-12') throw new Error(`zod 3 is converted to draft-2020-12, not to ${target}`)
      const { override } = (libraryOptions ?? {}) as { override?: (at: object) => void }
      return zod3ToJsonSchema(schema, side, (object, jsonSchema) =>
        override?.({ zodSchema: cover({ _def: object }), jsonSchema }),
      )
    }
  let shown: Zod4Schema['_zod']['def'] | undefined
  const made: Zod4Schema = {
    '~standard': {
      version: 1,
      vendor: 'zod',
      validate: (value) => validate(schema as unknown as StandardSchema, value),
      jsonSchema: { input: convert('input'), output: convert('output') },
    },
    // Properties are wrapped on first use, because schemas may contain themselves.
    _zod: {
      get def() {
        shown ??= show(def)
        return shown
      },
    },
  }
  covers.set(def, made)
  return made
}

function show(def: Zod3Def): Zod4Schema['_zod']['def'] {
  const { typeName, getter } = def
  switch (typeName) {
    case 'ZodObject':
      return {
        type: 'object',
        shape: Object.fromEntries(
          Object.entries(def.shape?.() ?? {}).map(([key, node]) => [key, cover(node)]),
        ),
        ...(def.catchall &&
          (def.unknownKeys !== 'strip' || hasCatchall(def)) && { catchall: cover(def.catchall) }),
      }
    case 'ZodLazy': {
      let inner: Zod4Schema | undefined
      return { type: 'lazy', ...(getter && { getter: () => (inner ??= cover(getter())) }) }
    }
    case 'ZodEffects':
      return { type: 'effect', ...part('innerType', def.schema) }
    case 'ZodArray':
      return { type: 'array', ...part('element', def.type) }
    case 'ZodBranded':
      return { type: 'brand', ...part('innerType', def.type) }
    default:
      return showOther(def)
  }
}

/** Other kinds of schemas have properties with the same names in both versions. */
function showOther(def: Zod3Def): Zod4Schema['_zod']['def'] {
  const { typeName, items, rest, options } = def
  return {
    type: typeName.slice('Zod'.length).toLowerCase().replace('pipeline', 'pipe'),
    ...(Array.isArray(items) && { items: items.map(cover) }),
    ...(rest && { rest: cover(rest) }),
    ...(options !== undefined && { options: optionsOf(def).map(cover) }),
    ...part('valueType', def.valueType),
    ...part('left', def.left),
    ...part('right', def.right),
    ...part('innerType', def.innerType),
    ...part('in', def.in),
    ...part('out', def.out),
  }
}

type Part = 'element' | 'valueType' | 'left' | 'right' | 'innerType' | 'in' | 'out'

function part(name: Part, node: Zod3Node | undefined): { [P in Part]?: Zod4Schema } {
  return node === undefined ? {} : { [name]: cover(node) }
}

type Validated = ReturnType<StandardSchema['~standard']['validate']>

function validate(schema: StandardSchema, value: unknown): Validated {
  const result = schema['~standard'].validate(value)
  return result instanceof Promise ? result.then(withAlternatives) : withAlternatives(result)
}

function withAlternatives(result: StandardResult<unknown>): StandardResult<unknown> {
  return result.issues === undefined ? result : { issues: result.issues.map(withErrors) }
}

/** Converts the issues of a union's alternatives. zod 4 stores them in `errors`, and zod 3 in `unionErrors`. */
function withErrors(issue: StandardIssue): StandardIssue {
  const { unionErrors, path } = issue as StandardIssue & {
    unionErrors?: readonly { readonly issues: readonly StandardIssue[] }[]
  }
  if (unionErrors === undefined) return issue
  const depth = path?.length ?? 0
  const errors = unionErrors.map(({ issues }) =>
    // Paths begin at the root in zod 3, and at the union in zod 4.
    issues.map((inner) => ({ ...withErrors(inner), path: inner.path?.slice(depth) })),
  )
  return { ...issue, errors } as StandardIssue
}
