import type { HttpRequest } from './types.ts'

/** Calls the listener when the client disconnects; at once if it already has. */
export function onDisconnect({ signal }: Pick<HttpRequest, 'signal'>, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}
