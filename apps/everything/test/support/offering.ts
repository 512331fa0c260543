interface Outgoing {
  readonly method?: string
  readonly params?: object
}

/** Makes a client offer a revision other than its newest one. */
export function offering<T extends { send: (message: never, options?: never) => Promise<void> }>(
  transport: T,
  revision: string | undefined,
): T {
  if (revision === undefined) return transport
  const send = transport.send.bind(transport) as (message: Outgoing, options?: never) => Promise<void>
  const offer = (message: Outgoing, options?: never): Promise<void> =>
    send(
      message.method === 'initialize'
        ? { ...message, params: { ...message.params, protocolVersion: revision } }
        : message,
      options,
    )
  return Object.assign(transport, { send: offer })
}
