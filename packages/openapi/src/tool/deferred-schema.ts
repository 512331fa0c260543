import type { JsonSchema, StandardSchema } from '@jetway/core'
import { type CompiledInput, tieredEngine } from '@jetway/core/schema'

/**
 * A schema of arguments that is compiled at its first call. A document has hundreds of schemas, and compiling all of
 * them would take most of the time that a server needs to start.
 */
export function deferredSchema(name: string, schema: JsonSchema): StandardSchema<Record<string, unknown>> {
  let compiled: CompiledInput | undefined
  const published = (): Record<string, unknown> => schema
  return {
    '~standard': {
      version: 1,
      vendor: 'jetway-openapi',
      validate: (value) => {
        compiled ??= tieredEngine().input(schema, { kind: 'tool', name, field: 'inputSchema' })
        const checked = compiled.check(value)
        // Only schemas of libraries are checked asynchronously.
        if (checked instanceof Promise) throw new TypeError('The check of a JSON Schema is synchronous')
        return checked.ok ? { value: checked.value as Record<string, unknown> } : { issues: checked.issues }
      },
      jsonSchema: { input: published, output: published },
    },
  }
}
