import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { INTERACTION, Interactions, type LoginOptions } from './interactions.ts'
import { createProvider, type ProviderOptions } from './provider.ts'

/** Serves an authorization server whose users log in with GitHub. */
export async function serve(
  options: ProviderOptions & LoginOptions,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<Server> {
  const provider = createProvider(options)
  const interactions = new Interactions(provider, options)
  const handle = provider.callback()
  const http = createServer((request, response) => {
    const isInteraction = request.url?.startsWith(`${INTERACTION}/`) === true
    void (isInteraction ? interactions.handle(request, response) : handle(request, response))
  })
  await once(http.listen(port, host), 'listening')
  return http
}
