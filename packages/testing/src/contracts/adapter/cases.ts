import { AdapterClient } from './client.ts'
import { CONNECTION_CASES } from './connections.ts'
import { DOCUMENT_CASES } from './documents.ts'
import { END_CASES } from './ends.ts'
import { REPLY_CASES } from './replies.ts'
import { REQUEST_CASES } from './requests.ts'
import { createServer } from './servers.ts'
import { SSE_CASES } from './sse.ts'
import { STREAM_CASES } from './streams.ts'
import type { AdapterCapability, AdapterCase, AdapterSubject, ServedAdapter, Serving } from './types.ts'

const ALL: readonly AdapterCase[] = [
  ...REQUEST_CASES,
  ...REPLY_CASES,
  ...STREAM_CASES,
  ...CONNECTION_CASES,
  ...SSE_CASES,
  ...END_CASES,
  ...DOCUMENT_CASES,
]

/** Returns the cases for an adapter with these capabilities. */
export function adapterCases(capabilities: readonly AdapterCapability[]): readonly AdapterCase[] {
  return ALL.filter(({ needs }) => needs === undefined || capabilities.includes(needs))
}

/**
 * How long a case waits for any data, in ms. The limit is generous, so that a correct adapter does not fail
 * on a busy machine.
 */
const PATIENCE = 15_000

/**
 * Runs one case in any test runner. Rejects if the adapter fails the case.
 *
 * @param patience - how long the case waits for any data, in ms; by default 15_000
 */
export async function runAdapterCase(
  subject: AdapterSubject,
  { run }: AdapterCase,
  patience: number = PATIENCE,
): Promise<void> {
  const servings: (Serving & { readonly served: ServedAdapter })[] = []
  try {
    await run({
      async serve(options = {}, host = {}, server = createServer()) {
        const served = await subject.serve(server, options, host)
        const client = new AdapterClient(served.url, patience)
        const serving = {
          served,
          server,
          client,
          url: served.url,
          close: () => served.close(),
          release: () => served.release(),
        }
        servings.push(serving)
        return serving
      },
    })
  } finally {
    for (const { client, served, server } of servings) {
      client.close()
      await served.release()
      await server.close({ deadline: 0 })
    }
  }
}
