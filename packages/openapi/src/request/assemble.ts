import { ToolError } from '@jetway/core'
import type { Json, Parameter } from '../document/model.ts'
import { member } from '../document/values.ts'
import { writeBody } from './body.ts'
import type { BodyPlan, PlannedRequest, RequestPlan } from './plan.ts'
import { inPath, inQuery } from './styles.ts'
import { fillPath } from './url.ts'

/**
 * Turns arguments that match a tool's schema into the parts of a request.
 *
 * @throws ToolError for arguments that a request cannot carry
 */
export function assemble(plan: RequestPlan, args: Json, uploadBytes: number): PlannedRequest {
  const inPathValues = new Map<string, { parameter: Parameter; value: unknown }>()
  const query: string[] = []
  const headers: [string, string][] = []
  const cookies: string[] = []
  for (const [argument, parameter] of plan.parameters) {
    const value = member(args, argument)
    if (value === undefined) continue
    if (parameter.in === 'path') inPathValues.set(parameter.name, { parameter, value })
    else if (parameter.in === 'query') query.push(...inQuery(parameter, value))
    else if (parameter.in === 'cookie') cookies.push(...inQuery(parameter, value))
    else
      headers.push([
        parameter.name,
        headerText(
          argument,
          inPath(parameter, value, (text) => text),
        ),
      ])
  }
  const body = plan.body === undefined ? undefined : bodyValue(plan.body, args)
  return {
    path: fillPath(plan.path, inPathValues),
    query,
    headers,
    cookies,
    body: body === undefined || plan.body === undefined ? undefined : writeBody(plan.body, body, uploadBytes),
  }
}

/** @throws ToolError for text that a header cannot have, such as line breaks, which would begin another header */
function headerText(argument: string, text: string): string {
  if (/^[\t\u0020-\u007e]*$/.test(text)) return text
  throw new ToolError(
    `The argument ${argument} is sent in a header, so it must be printable ASCII on one line`,
  )
}

function bodyValue({ argument, properties, required }: BodyPlan, args: Json): unknown {
  if (argument !== undefined) return member(args, argument)
  const entries = Array.from(properties, ([name, property]) => [property, member(args, name)] as const)
  const given = entries.filter(([, value]) => value !== undefined)
  // Object.fromEntries defines members, so that `__proto__` is a property like any other.
  return given.length > 0 || required ? Object.fromEntries(given) : undefined
}
