import { isObject } from '@jetway/core/protocol'
import { EntryError } from './variables.ts'

/** A VS Code input. See https://code.visualstudio.com/docs/reference/variables-reference#_input-variables. */
export interface ConfigInput {
  readonly id: string
  readonly type: 'promptString' | 'pickString' | 'command'
  readonly description: string | undefined
  readonly default: string | undefined
  /** Whether to hide the value while the user types it. */
  readonly password: boolean
  readonly options: readonly string[]
}

/** Asks the user for a value. If it returns undefined, the default is used. */
export type AskForInput = (input: ConfigInput) => string | undefined | Promise<string | undefined>

/** Resolves `${input:…}`. The user is asked for each input only once, when a server first needs it. */
export function answering(
  defined: unknown,
  ask: AskForInput | undefined,
): (id: string, field: string) => Promise<string> {
  const inputs = new Map(readInputs(defined).map((input) => [input.id, input]))
  const asked = new Map<string, Promise<string | undefined>>()
  return async (id, field) => {
    const input = inputs.get(id)
    if (input === undefined)
      throw new EntryError(field, `needs the input ${id}, which the file does not define`)
    let answer = asked.get(id)
    if (answer === undefined) asked.set(id, (answer = Promise.resolve(ask?.(input))))
    const value = (await answer) ?? input.default
    if (value !== undefined) return value
    throw new EntryError(
      field,
      ask === undefined
        ? `needs the input ${id}: give the option input, of loadConfig`
        : `needs the input ${id}, which was not given`,
    )
  }
}

function readInputs(defined: unknown): readonly ConfigInput[] {
  if (!Array.isArray(defined)) return []
  return defined.filter(isObject).flatMap((input) => {
    const { id, type, description, password, options } = input
    if (typeof id !== 'string') return []
    return {
      id,
      type: type === 'pickString' || type === 'command' ? type : 'promptString',
      description: asText(description),
      default: asText(input['default']),
      password: password === true,
      options: Array.isArray(options) ? options.flatMap((option) => asOption(option) ?? []) : [],
    }
  })
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const asOption = (option: unknown) => (isObject(option) ? asText(option['value']) : asText(option))
