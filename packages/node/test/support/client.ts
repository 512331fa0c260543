import { callFrame, listen, post } from '@jetway-apps/test-support/http'
import { onTestFinished } from 'vitest'
import type { Listener } from './hosts.ts'

/** Serves a listener until the end of the test. Returns the origin. */
export async function serve(listener: Listener): Promise<string> {
  const { origin, release } = await listen(listener)
  onTestFinished(release)
  return origin
}

/** Calls a tool without a session. Returns the text in the result, or the status and message of the error. */
export async function call(url: string, name: string, args: object = {}): Promise<string> {
  const response = await post(url, callFrame(name, args))
  const body = await response.text()
  if (!body.startsWith('{')) return String(response.status)
  const { result, error } = JSON.parse(body) as {
    result?: { content: readonly { text: string }[] }
    error?: { message: string }
  }
  return result?.content[0]?.text ?? `${response.status} ${error?.message}`
}
