import type { McpError } from '../errors.ts'
import { answerInitialize, type InitializeInput } from './greet.ts'
import type { ServerRuntime } from './server-runtime.ts'
import { Session } from './session.ts'

export type Initialized =
  | { readonly session: Session; readonly frame: string }
  | { readonly session?: undefined; readonly error: McpError; readonly frame: string }

/** Opens a session from an `initialize` request. HTTP and duplex transports share it. */
export async function initialize(runtime: ServerRuntime, input: InitializeInput): Promise<Initialized> {
  const greeted = await answerInitialize(runtime, input)
  if (greeted.error !== undefined) return { error: greeted.error, frame: greeted.frame }
  const { record, revision, frame } = greeted
  return { session: new Session(runtime, record, revision), frame }
}
