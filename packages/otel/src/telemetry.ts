import type { SessionClosed } from '@jetway/core/http'
import type {
  CallObservation,
  ObservedServer,
  QuestionObservation,
  ReceivedCall,
  SentQuestion,
  Telemetry,
} from '@jetway/core/telemetry'
import { Name } from './attributes.ts'
import { observeCall, type Recording } from './call.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { OPTION_NAMES, type TelemetryOptions } from './options.ts'
import { Providers } from './providers.ts'
import { observeQuestion } from './question.ts'
import { Servers } from './servers.ts'

/**
 * Traces and metrics of a server, as the OpenTelemetry conventions for MCP describe them. Give it to any
 * number of servers: `new McpServer(info, { telemetry: telemetry() })`. Without an SDK it does nothing.
 *
 * @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md
 * @throws TypeError for an option that does not exist
 */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTION_NAMES, name))
  if (unknown !== undefined)
    throw new TypeError(
      `telemetry has no option "${unknown}"; choose from ${Object.keys(OPTION_NAMES).join(', ')}`,
    )
  return new ServerTelemetry(options)
}

class ServerTelemetry implements Telemetry {
  readonly #options: TelemetryOptions
  readonly #providers: Providers
  readonly #servers = new Servers()
  #instruments: Instruments | undefined

  constructor(options: TelemetryOptions) {
    this.#options = options
    this.#providers = new Providers(options)
  }

  get active(): boolean {
    const { mode = 'full' } = this.#options
    if (mode !== 'full') return mode === 'propagate'
    return this.#providers.tracer !== undefined || this.#providers.meterProvider !== undefined
  }

  attach(server: ObservedServer): () => void {
    const ends = [
      this.#servers.add(server),
      server.on('session:open', () => void this.#currentInstruments()),
      server.on('session:close', (session) => this.#sessionClosed(session)),
      server.on('overflow', ({ queue, action }) =>
        this.#currentInstruments()?.overflows.add(1, { queue, action }),
      ),
    ]
    return () => {
      for (const end of ends) end()
    }
  }

  request(call: ReceivedCall): CallObservation {
    return observeCall(call, this.#recording())
  }

  question(question: SentQuestion): QuestionObservation {
    return observeQuestion(question, this.#recording())
  }

  #recording(): Recording {
    const records = this.#options.mode !== 'propagate'
    return {
      options: this.#options,
      tracer: records ? this.#providers.tracer : undefined,
      instruments: records ? this.#currentInstruments() : undefined,
    }
  }

  /** A session that another process may continue has not ended. */
  #sessionClosed({ cause, createdAt, revision }: SessionClosed): void {
    if (cause !== 'ended') return
    const seconds = Math.max(0, Date.now() - createdAt) / 1_000
    this.#currentInstruments()?.sessions.record(seconds, { [Name.revision]: revision })
  }

  #currentInstruments(): Instruments | undefined {
    const { mode = 'full' } = this.#options
    const provider = mode === 'full' ? this.#providers.meterProvider : undefined
    if (provider === this.#instruments?.provider) return this.#instruments
    this.#instruments?.stop()
    this.#instruments = provider && createInstruments(provider, () => this.#servers)
    return this.#instruments
  }
}
