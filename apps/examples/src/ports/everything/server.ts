/**
 * A port of `@modelcontextprotocol/server-everything` 2026.8.31 (MIT),
 * https://github.com/modelcontextprotocol/servers. All names, descriptions and strings match the original,
 * because a test compares the two servers' responses. The code is new.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { McpServer } from '@jetway/core'
import { getRootsList } from './client-tools/get-roots-list.ts'
import { simulateResearchQuery } from './client-tools/simulate-research-query.ts'
import { triggerElicitationRequestAsync } from './client-tools/trigger-elicitation-request-async.ts'
import { triggerElicitationRequest } from './client-tools/trigger-elicitation-request.ts'
import { triggerSamplingRequestAsync } from './client-tools/trigger-sampling-request-async.ts'
import { triggerSamplingRequest } from './client-tools/trigger-sampling-request.ts'
import { triggerUrlElicitation } from './client-tools/trigger-url-elicitation.ts'
import { documentsIn } from './documents.ts'
import { dynamicBlob, dynamicText } from './dynamic-resources.ts'
import { prompts } from './prompts.ts'
import { echo } from './tools/echo.ts'
import { getAnnotatedMessage } from './tools/get-annotated-message.ts'
import { getEnv } from './tools/get-env.ts'
import { getResourceLinks } from './tools/get-resource-links.ts'
import { getResourceReference } from './tools/get-resource-reference.ts'
import { getStructuredContent } from './tools/get-structured-content.ts'
import { getSum } from './tools/get-sum.ts'
import { getTinyImage } from './tools/get-tiny-image.ts'
import { gzipFileAsResource } from './tools/gzip-file-as-resource.ts'
import { toggleSimulatedLogging } from './tools/toggle-simulated-logging.ts'
import { toggleSubscriberUpdates } from './tools/toggle-subscriber-updates.ts'
import { triggerLongRunningOperation } from './tools/trigger-long-running-operation.ts'

/**
 * @param docs - the folder with the documents. Its `instructions.md` contains the instructions for the model
 */
export function createEverything(docs: string): McpServer {
  const server = new McpServer(
    { name: 'mcp-servers/everything', title: 'Everything Reference Server', version: '2.0.0' },
    {
      instructions: readFileSync(join(docs, 'instructions.md'), 'utf8'),
      logging: { level: 'debug' },
      tasks: { defaultTtlMs: 300_000 },
      limits: { maxHandlerTimeoutMs: 660_000 },
    },
  )
  server.add(
    echo,
    getAnnotatedMessage,
    getEnv,
    getResourceLinks,
    getResourceReference,
    getStructuredContent,
    getSum,
    getTinyImage,
    gzipFileAsResource(server),
    toggleSimulatedLogging(server),
    toggleSubscriberUpdates(server),
    triggerLongRunningOperation,
    getRootsList(server),
    triggerElicitationRequest,
    triggerUrlElicitation(server),
    triggerSamplingRequest,
    simulateResearchQuery,
    triggerSamplingRequestAsync,
    triggerElicitationRequestAsync,
  )
  server.add(dynamicText, dynamicBlob, ...documentsIn(docs), ...prompts)
  return server
}
