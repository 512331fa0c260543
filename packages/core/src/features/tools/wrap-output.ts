import { mapParts } from '@jetway/json-schema'
import type { AnySchema, CompiledOutput, InferOutput, JsonSchema } from '../../schema/types.ts'
import { invalid, type Subject } from '../registry/checks.ts'

/** The member that contains a structured value, and the schema of the object that wraps it. */
interface WrappedOutput {
  readonly member: string
  readonly outputSchema: JsonSchema
}

/** The name of the member that wraps the value, for an `outputSchema` that is not an object. */
export type WrapOutput<O> = O extends AnySchema ? MemberFor<InferOutput<O>> : never

type MemberFor<S> = unknown extends S
  ? string
  : [S] extends [readonly unknown[]]
    ? string
    : [S] extends [object]
      ? never
      : string

/** Matches names that do not need escapes in a JSON Pointer or a URI fragment. */
const MEMBER = /^[\w-]{1,64}$/

/** @throws `ERR_MCP_INVALID_DEFINITION` for an invalid name, and for a schema that needs no wrapping */
export function wrapOutput(
  subject: Subject,
  member: unknown,
  output: CompiledOutput | undefined,
): WrappedOutput | undefined {
  if (member === undefined) return undefined
  if (typeof member !== 'string' || !MEMBER.test(member)) {
    throw invalid(subject, 'needs a name such as "items" as its wrapOutput: 1 to 64 of A-Za-z0-9_-')
  }
  if (output === undefined) throw invalid(subject, 'has wrapOutput without an outputSchema; add one')
  if (output.jsonSchema['type'] === 'object')
    throw invalid(subject, 'has an outputSchema that is an object already; remove wrapOutput')
  return { member, outputSchema: objectWith(member, output.jsonSchema) }
}

function objectWith(member: string, { $schema, ...schema }: JsonSchema): JsonSchema {
  return {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { [member]: moved(schema, `#/properties/${member}`) },
    required: [member],
    additionalProperties: false,
  }
}

/** Moves a schema to another path in its document, and rewrites its local references accordingly. */
function moved(schema: JsonSchema, place: string): JsonSchema {
  // References within a schema that has an id are relative to that schema.
  if (typeof schema['$id'] === 'string') return schema
  const { $ref, ...rest } = mapParts(schema, (part) => moved(part, place))
  if ($ref === undefined) return rest
  const isLocal = typeof $ref === 'string' && /^#(\/|$)/.test($ref)
  return { $ref: isLocal ? place + $ref.slice(1) : $ref, ...rest }
}
