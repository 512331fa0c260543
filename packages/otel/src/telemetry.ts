import type { SessionClosed } from '@jetway/core/http'
import type {
  CallObservation,
  ClientTelemetry,
  ClosedClientSession,
  ObservedServer,
  ReceivedCall,
  SentObservation,
  SentRequest,
  Telemetry,
} from '@jetway/core/telemetry'
import { context, ROOT_CONTEXT } from '@opentelemetry/api'
import { Name, networkAttributesOf } from './attributes.ts'
import { BoundedNames } from './bounded-names.ts'
import { observeCall, type Recording } from './call.ts'
import { observeGauges } from './gauges.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { OPTION_NAMES, type TelemetryOptions } from './options.ts'
import { Providers } from './providers.ts'
import { observeSent } from './sent.ts'
import { Servers } from './servers.ts'

/**
 * Creates traces and metrics according to the OpenTelemetry conventions for MCP. Any number of servers and
 * clients can share the object: `new McpServer(info, { telemetry: telemetry() })`, `new Client(info, {
 * telemetry: telemetry() })`, `new ClientManager(info, { client: { telemetry: telemetry() } })`. It does
 * nothing unless an SDK is registered.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 * @throws TypeError for an unknown option
 */
export function telemetry(options: TelemetryOptions = {}): Telemetry & ClientTelemetry {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTION_NAMES, name))
  if (unknown !== undefined)
    throw new TypeError(
      `telemetry has no option "${unknown}"; choose from ${Object.keys(OPTION_NAMES).join(', ')}`,
    )
  return new OpenTelemetry(options)
}

class OpenTelemetry implements Telemetry, ClientTelemetry {
  readonly #options: TelemetryOptions
  readonly #providers: Providers
  readonly #servers = new Servers()
  readonly #names = new BoundedNames()
  #instruments: Instruments | undefined
  /** Stops observing the servers. */
  #stopGauges: (() => void) | undefined

  constructor(options: TelemetryOptions) {
    this.#options = options
    this.#providers = new Providers(options)
  }

  get active(): boolean {
    if (this.#options.mode === 'propagate') return true
    return this.#providers.tracer !== undefined || this.#providers.meterProvider !== undefined
  }

  attach(server: ObservedServer): () => void {
    const ends = [
      this.#servers.add(server),
      server.on('session:close', (session) => this.#sessionClosed(session)),
      server.on('reject', ({ reason }) => this.#currentInstruments()?.refusals.add(1, { reason })),
      server.on('overflow', ({ queue, action }) =>
        this.#currentInstruments()?.overflows.add(1, { queue, action }),
      ),
    ]
    // A server's gauges must exist before the first call arrives.
    this.#currentInstruments()
    this.#observeServers()
    return () => {
      for (const end of ends) end()
      if (this.#servers.empty) this.#stopGauges?.()
    }
  }

  received(call: ReceivedCall): CallObservation {
    return observeCall(call, this.#recording())
  }

  sent(request: SentRequest): SentObservation {
    return observeSent(request, this.#recording())
  }

  apart(step: () => void): void {
    context.with(ROOT_CONTEXT, step)
  }

  sessionClosed({ revision, network, seconds, failure }: ClosedClientSession): void {
    this.#currentInstruments()?.clientSessions.record(seconds, {
      [Name.revision]: revision,
      ...networkAttributesOf(network),
      ...(failure !== undefined && { [Name.error]: failure }),
    })
  }

  #recording(): Recording {
    return {
      options: this.#options,
      tracer: this.#options.mode === 'propagate' ? undefined : this.#providers.tracer,
      instruments: this.#currentInstruments(),
      names: this.#names,
    }
  }

  /** Records the duration of a session, unless another process may continue the session. */
  #sessionClosed({ cause, createdAt, revision }: SessionClosed): void {
    if (cause !== 'ended') return
    const seconds = Math.max(0, Date.now() - createdAt) / 1_000
    this.#currentInstruments()?.sessions.record(seconds, { [Name.revision]: revision })
  }

  #currentInstruments(): Instruments | undefined {
    const provider = this.#options.mode === 'propagate' ? undefined : this.#providers.meterProvider
    if (provider === this.#instruments?.provider) return this.#instruments
    this.#stopGauges?.()
    this.#instruments = provider && createInstruments(provider)
    this.#observeServers()
    return this.#instruments
  }

  #observeServers(): void {
    const provider = this.#instruments?.provider
    if (provider !== undefined && !this.#servers.empty)
      this.#stopGauges = observeGauges(provider, this.#servers)
  }
}
