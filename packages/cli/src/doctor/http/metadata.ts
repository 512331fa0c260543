import { isObject, type JsonObject } from '@jetway/core/protocol'
import { exchange, NoReplyError } from './exchange.ts'
import type { Site } from './site.ts'

/** A JSON document from a URL. */
export interface Metadata {
  readonly document: JsonObject | undefined
  /** Why there is no document. */
  readonly problem: string
}

/** Fetches a public document, without the user's headers. */
export async function readDocument(site: Site, url: URL): Promise<Metadata> {
  try {
    const reply = await exchange(
      { url, method: 'GET', headers: { accept: 'application/json' } },
      { timeoutMs: site.replyMs },
    )
    if (reply.status !== 200) return { document: undefined, problem: `was answered with ${reply.status}` }
    const document: unknown = JSON.parse(reply.text)
    return isObject(document) ? { document, problem: '' } : NO_OBJECT
  } catch (error) {
    if (error instanceof NoReplyError) return { document: undefined, problem: `gave no reply: ${error.code}` }
    return NO_OBJECT
  }
}

const NO_OBJECT: Metadata = { document: undefined, problem: 'is no JSON object' }
