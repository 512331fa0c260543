import { Client, type ServerDetails, type TransportFactory } from '@jetway/client'
import type { RevisionDate } from '@jetway/core/protocol'
import { CliError } from '../errors.ts'
import { fetchOffers, type Offers } from '../list/offers.ts'
import { explained } from '../target/explain.ts'
import { startFile } from '../target/start-file.ts'
import { ownVersion } from '../version.ts'

/** A server as a client sees it. */
export interface RunningServer {
  readonly details: ServerDetails
  readonly offers: Offers
}

/** A server's file that has been run, and how it serves. */
export interface RunningFile extends RunningServer {
  readonly serves: 'stdio' | 'http'
  /** The name of the export to serve, if the file does not serve on its own. */
  readonly definition: string | undefined
}

const TIMEOUT_MS = 30_000

/** Connects, fetches the lists as the server sends them, and closes. @throws CliError */
export async function readServer(
  target: TransportFactory,
  revisions?: readonly [RevisionDate],
): Promise<RunningServer> {
  const client = new Client(
    { name: 'jetway-cli', version: ownVersion() },
    {
      eras: false,
      timeoutMs: TIMEOUT_MS,
      connectTimeoutMs: TIMEOUT_MS,
      ...(revisions !== undefined && { revisions }),
    },
  )
  const left: string[] = []
  client.on('error', ({ message }) => {
    if (message.includes('left out')) left.push(message)
  })
  try {
    await client.connect(target)
    const offers = await fetchOffers(client)
    const [reason] = left
    if (reason !== undefined)
      throw new CliError('failed', `The server's lists are not valid: ${reason}`, {
        hint: 'Give each entry the members that the schema of MCP requires',
      })
    return { details: client.server as ServerDetails, offers }
  } catch (error) {
    throw explained(error, { otherwise: 'unreachable', hasToken: false })
  } finally {
    await client.close()
  }
}

export interface ReadFileOptions {
  readonly path: string
  readonly exportName: string | undefined
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly stderr: (line: string) => void
  /** The error for a file that serves HTTP although stdio is required. */
  readonly onHttp?: () => CliError
}

/** Runs a server's file, reads its lists, and ends the process. @throws CliError */
export async function readServerFile(options: ReadFileOptions): Promise<RunningFile> {
  const started = await startFile(options)
  try {
    if (started.url !== undefined && options.onHttp !== undefined) throw options.onHttp()
    const { details, offers } = await readServer(started.target)
    return {
      details,
      offers,
      serves: started.url === undefined ? 'stdio' : 'http',
      definition: started.definition,
    }
  } finally {
    await started.close()
  }
}
