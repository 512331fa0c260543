import { mapParts } from '../../schema/convert/walk.ts'
import type { AnySchema, CompiledOutput, InferOutput, JsonSchema } from '../../schema/types.ts'
import { invalid, type Subject } from '../registry/checks.ts'

/** The member that holds a structured value, and the schema of the object around it. */
export interface WrappedOutput {
  readonly member: string
  readonly outputSchema: JsonSchema
}

/** A member's name, for an `outputSchema` that is not an object. */
export type WrapOutput<O> = O extends AnySchema ? MemberFor<InferOutput<O>> : never

type MemberFor<S> = unknown extends S
  ? string
  : [S] extends [readonly unknown[]]
    ? string
    : [S] extends [object]
      ? never
      : string

/** Needs no escapes in a JSON Pointer or a URI fragment. */
const MEMBER = /^[A-Za-z_][\w-]{0,63}$/

/** @throws `ERR_MCP_INVALID_DEFINITION` if there is nothing to wrap */
export function wrapOutput(
  subject: Subject,
  member: unknown,
  output: CompiledOutput | undefined,
): WrappedOutput | undefined {
  if (member === undefined) return undefined
  if (typeof member !== 'string' || !MEMBER.test(member)) {
    throw invalid(
      subject,
      'needs the name of a member as its wrapOutput: a letter or "_", then at most 63 letters, digits, "_" or "-"; for example "items"',
    )
  }
  if (output === undefined)
    throw invalid(subject, 'has wrapOutput without an outputSchema; add the schema of what it returns')
  if (output.jsonSchema['type'] === 'object')
    throw invalid(subject, 'has wrapOutput, but its outputSchema is an object already; remove wrapOutput')
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

/** The schema at another place of its document: references from its root lead to that place. */
function moved(schema: JsonSchema, place: string): JsonSchema {
  // References inside a schema with an id start there.
  if (typeof schema['$id'] === 'string') return schema
  const { $ref, ...rest } = mapParts(schema, (part) => moved(part, place))
  if ($ref === undefined) return rest
  const isLocal = typeof $ref === 'string' && /^#(\/|$)/.test($ref)
  return { $ref: isLocal ? place + $ref.slice(1) : $ref, ...rest }
}
