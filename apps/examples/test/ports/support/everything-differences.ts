import {
  type Difference,
  errorOf,
  inAnswer,
  INVALID_ARGUMENTS,
  NO_TASK_SUPPORT,
  replaceObjects,
  replaceText,
  SCHEMAS,
  SDK_PREFIX,
  textOf,
  UNKNOWN_TOOL,
} from './compare.ts'
import type { Step } from './official-client.ts'

const isCallOf = (step: Step, tool: string) => step.method === 'tools/call' && step.params?.['name'] === tool
const isFailure = (answer: Record<string, unknown>) => answer['isError'] === true || 'error' in answer
const CLOCK = /\d{1,2}:\d\d:\d\d(?:\s[AP]M)?/g

/** Removes values that differ between runs of the same server. */
const RANDOM: readonly Difference[] = [
  {
    name: 'the time in dynamic resources',
    reason: 'the clock',
    remove: (seen) => replaceText(seen, (text) => text.replaceAll(CLOCK, 'now')),
  },
  {
    name: 'the time in dynamic blobs',
    reason: 'the clock',
    remove: (seen) =>
      replaceObjects(seen, (object) => {
        const { blob, mimeType } = object
        if (typeof blob !== 'string' || mimeType === 'application/gzip') return object
        return { ...object, blob: Buffer.from(blob, 'base64').toString().replaceAll(CLOCK, 'now') }
      }),
  },
  {
    name: 'the ids of URL elicitations',
    reason: 'random; Jetway ignores the id that a caller wishes, since another call may have it',
    remove: (seen) =>
      replaceText(
        replaceObjects(seen, (object) =>
          'elicitationId' in object && 'mode' in object ? { ...object, elicitationId: 'id' } : object,
        ),
        (text) => text.replace(/Elicitation ID: [\w-]+/, 'Elicitation ID: id'),
      ),
  },
  {
    name: 'the session in texts',
    reason: 'random; the SDK has no session id over stdio and writes "undefined"',
    remove: (seen) => replaceText(seen, (text) => text.replace(/for session [\w-]+/, 'for session id')),
  },
]

const RESOURCES_AND_PROMPTS: readonly Difference[] = [
  {
    name: 'the picture',
    reason: 'the MCP logo is not part of this repository',
    remove: (seen) =>
      replaceObjects(seen, (object) =>
        object['type'] === 'image' ? { ...object, data: 'picture' } : object,
      ),
  },
  {
    name: 'an unknown resource',
    reason: '-32002 is the code of the specification; the SDK sends -32602',
    remove: inAnswer(
      ({ method }, answer) =>
        method === 'resources/read' && [-32602, -32002].includes(errorOf(answer)?.code ?? 0),
      () => ({ failure: 'unknown resource' }),
    ),
  },
  {
    name: 'subscribing to an unknown resource',
    reason: 'Jetway refuses it; the original accepts every URI',
    remove: inAnswer(
      ({ method, params }) => method === 'resources/subscribe' && params?.['uri'] === 'demo://nothing',
      () => ({ failure: 'unknown resource' }),
    ),
  },
  {
    name: 'one notification for a resource that is replaced',
    reason: 'the original removes the resource and adds it again',
    remove: (seen, step) =>
      isCallOf(step, 'gzip-file-as-resource') && seen.notified.length === 2
        ? { ...seen, notified: seen.notified.slice(1) }
        : seen,
  },
  {
    name: 'the description of an optional prompt argument',
    reason: 'the SDK loses a description that is inside optional()',
    remove: (seen) =>
      replaceObjects(seen, (object) => {
        const { description, ...rest } = object
        return description === 'Name of the state' ? rest : object
      }),
  },
  {
    name: "a prompt's description with its messages",
    reason: 'Jetway sends it; the SDK sends it in the list only',
    remove: inAnswer(
      ({ method }) => method === 'prompts/get',
      ({ description: _description, ...rest }) => rest,
    ),
  },
  {
    name: 'the words for an unknown prompt, and for a missing or unknown argument or reference',
    reason: 'the code is the same',
    remove: inAnswer(
      ({ method }, answer) =>
        (method === 'prompts/get' || method === 'completion/complete') && errorOf(answer)?.code === -32602,
      () => ({ failure: -32602 }),
    ),
  },
  {
    name: 'the number of no suggestions',
    reason: 'Jetway always sends total',
    remove: inAnswer(
      ({ method }, answer) => method === 'completion/complete' && 'completion' in answer,
      ({ completion }) => {
        const { values, hasMore, total = 0 } = completion as Record<string, unknown>
        return { completion: { values, hasMore, total } }
      },
    ),
  },
]

const ASKING: readonly Difference[] = [
  {
    name: 'a ping before a result that follows progress',
    reason: 'the official clients lose progress that they read together with the result; Jetway waits',
    remove: (seen) => ({ ...seen, asked: seen.asked.filter(({ method }) => method !== 'ping') }),
  },
  {
    name: 'when the roots are asked for',
    reason: 'Jetway asks with the first call that needs them; the original asks after the handshake',
    remove: (seen, step) =>
      isCallOf(step, 'get-roots-list')
        ? {
            ...seen,
            asked: [],
            notified: seen.notified.filter(({ params }) => !JSON.stringify(params).includes('Roots updated')),
          }
        : seen,
  },
  {
    name: 'the message of the error -32042',
    reason: 'Jetway has one text for it; the elicitations are the same',
    remove: inAnswer(
      (_step, answer) => errorOf(answer)?.code === -32042,
      ({ error }) => ({ error: { ...(error as object), message: 'Open a URL first' } }),
    ),
  },
  {
    name: 'the words for an invalid or missing reply of the client',
    reason: 'the SDK sends the issues of another schema; both are failures of the tool',
    remove: inAnswer(
      (step, answer) =>
        ['trigger-sampling-request', 'trigger-elicitation-request'].some((tool) => isCallOf(step, tool)) &&
        isFailure(answer) &&
        !textOf(answer).startsWith('Invalid arguments'),
      () => ({ failure: 'no valid reply' }),
    ),
  },
]

/** All differences between server-everything and its port that a client can detect. */
export const EVERYTHING_DIFFERENCES: readonly Difference[] = [
  SDK_PREFIX,
  ...SCHEMAS,
  NO_TASK_SUPPORT,
  INVALID_ARGUMENTS,
  UNKNOWN_TOOL,
  ...RANDOM,
  ...RESOURCES_AND_PROMPTS,
  ...ASKING,
]
