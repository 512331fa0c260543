import { isDeepStrictEqual } from 'node:util'
import type { Seen, Step } from './official-client.ts'

/**
 * An intended difference between an original and its port, with the reason. It is removed from the output of
 * both.
 */
export interface Difference {
  readonly name: string
  readonly reason: string
  /** Removes the difference from the output of a step. */
  readonly remove: (seen: Seen, step: Step) => Seen
}

/** Removes differences, and records which of them have occurred. */
export class Differences {
  readonly #all: readonly Difference[]
  readonly #met = new Set<Difference>()

  constructor(all: readonly Difference[]) {
    this.#all = all
  }

  remove(seen: Seen, step: Step): Seen {
    let now = JSON.parse(JSON.stringify(seen)) as Seen
    for (const difference of this.#all) {
      const next = JSON.parse(JSON.stringify(difference.remove(now, step))) as Seen
      if (!isDeepStrictEqual(next, now)) this.#met.add(difference)
      now = next
    }
    return now
  }

  /** The names of the differences that did not occur in any step. */
  get unmet(): readonly string[] {
    return this.#all.filter((difference) => !this.#met.has(difference)).map(({ name }) => name)
  }
}

/** Replaces strings at any depth. */
export function replaceText<T>(value: T, replace: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
    typeof member === 'string' ? replace(member) : member,
  ) as T
}

/** Replaces objects at any depth, innermost first. */
export function replaceObjects<T>(value: T, replace: (object: Record<string, unknown>) => unknown): T {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? replace(member as Record<string, unknown>)
      : member,
  ) as T
}

/** Changes the responses to certain steps. */
export const inAnswer =
  (
    applies: (step: Step, answer: Record<string, unknown>) => boolean,
    change: (answer: Record<string, unknown>) => unknown,
  ): Difference['remove'] =>
  (seen, step) => {
    const answer = seen.answer as Record<string, unknown>
    return applies(step, answer) ? { ...seen, answer: change(answer) } : seen
  }

/** Returns the JSON-RPC error of a response. */
export const errorOf = (answer: Record<string, unknown>) =>
  answer['error'] as { readonly code?: number; readonly message: string } | undefined

/** Returns the first text in a result, or the message of an error. */
export function textOf(answer: Record<string, unknown>): string {
  const { content } = answer as { content?: readonly { text?: string }[] }
  return errorOf(answer)?.message ?? content?.[0]?.text ?? ''
}

const withText = (answer: Record<string, unknown>, text: string) => ({
  ...answer,
  content: [{ type: 'text', text }],
})

/** A difference between the official SDK and Jetway that affects every server. */
export const SDK_PREFIX: Difference = {
  name: 'the code in the texts of errors',
  reason: 'the SDK begins its messages with it; its client adds it to every message',
  remove: (seen) => replaceText(seen, (text) => text.replace(/^(?:MCP error -\d+: )+/, '')),
}

export const SCHEMAS: readonly Difference[] = [
  {
    name: 'the line $schema',
    reason: 'the SDK writes draft-07 schemas; Jetway writes the default dialect, which needs no line',
    remove: (seen) => replaceObjects(seen, ({ $schema: _dialect, ...rest }) => rest),
  },
  {
    name: 'additionalProperties of the schema of no arguments',
    reason: 'Jetway says that there are none',
    remove: inAnswer(
      ({ method }) => method === 'tools/list',
      (answer) =>
        replaceObjects(answer, (object) => {
          const { inputSchema } = object as { inputSchema?: { properties?: object } }
          if (inputSchema === undefined || Object.keys(inputSchema.properties ?? {}).length > 0) return object
          return { ...object, inputSchema: { type: 'object', properties: {} } }
        }),
    ),
  },
]

export const NO_TASK_SUPPORT: Difference = {
  name: 'execution.taskSupport of tools that never run as tasks',
  reason: '"forbidden" is the default',
  remove: (seen) =>
    replaceObjects(seen, (object) => {
      const { execution, ...rest } = object as { execution?: { taskSupport?: string } }
      return execution?.taskSupport === 'forbidden' ? rest : object
    }),
}

/** Reduces each issue to its rule and path. */
export const INVALID_ARGUMENTS: Difference = {
  name: 'the words around invalid arguments',
  reason: 'each has its own sentence; both name the rule and the path',
  remove: inAnswer(
    ({ method }) => method === 'tools/call',
    (answer) => {
      const [, sdk] =
        /^Input validation error: Invalid arguments for tool [\w-]+: (.*)$/s.exec(textOf(answer)) ?? []
      const [, jetway] = /^Invalid arguments for the tool [\w-]+:\n(.*)$/s.exec(textOf(answer)) ?? []
      const issues = sdk?.replaceAll(/^(.*) at (\S+)$/gm, '$2: $1') ?? jetway
      return issues === undefined ? answer : withText(answer, `Invalid arguments:\n${issues}`)
    },
  ),
}

export const UNKNOWN_TOOL: Difference = {
  name: 'an unknown tool, and one that must be a task',
  reason: 'JSON-RPC errors in the specification; the SDK answers with a failure of the tool',
  remove: inAnswer(
    ({ method }, answer) => {
      const text = textOf(answer)
      return (
        method === 'tools/call' &&
        /^(?:Unknown tool|Tool \S+ (?:not found|requires task)|The tool \S+ must be called as a task)/.test(
          text,
        )
      )
    },
    () => ({ failure: 'no such call' }),
  ),
}
