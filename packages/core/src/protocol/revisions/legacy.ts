import { ErrorCode } from '../../errors.ts'
import { toErrorObject } from '../jsonrpc.ts'
import type { RevisionData } from './data.ts'
import { createEncoders, projectSampling, projectTool } from './encode.ts'
import { createProjector } from './project.ts'
import type { Revision } from './revision.ts'

/** The behaviour that all session revisions share, over one revision's data. */
export function legacyRevision(data: RevisionData): Revision {
  const projector = createProjector(data.fields)
  const encoders = createEncoders(data, projector)
  return {
    version: data.version,
    era: 'legacy',
    methods: new Set(data.methods),
    notifications: new Set(data.notifications),
    serverRequests: new Set(data.serverRequests),
    batching: data.batching,
    versionHeader: data.versionHeader,
    primesStreams: data.primesStreams,
    progressMessage: data.progressMessage,
    forms: data.forms,
    elicitationIds: data.elicitationIds,
    samplingTools: data.samplingTools,
    tasks: data.tasks,
    rounds: undefined,
    cancelOnDisconnect: false,
    parameterHeaders: false,
    envelope: undefined,
    projectTool: (tool) => projectTool(data, projector, tool),
    projectResource: (resource) => projector.project('resource', resource),
    projectResourceTemplate: (template) => projector.project('resourceTemplate', template),
    projectPrompt: (prompt) => projector.project('prompt', prompt),
    projectImplementation: (info) => projector.project('implementation', info),
    projectSampling: (params) => projectSampling(projector, params),
    projectCapabilities: (capabilities) => projector.project('capabilities', capabilities),
    encodeResult: (method, result) => encoders.get(method)?.(result) ?? JSON.stringify(result),
    encodeError: (error) => {
      const plain = toErrorObject(error)
      return error.reason === 'resource-not-found' ? { ...plain, code: ErrorCode.ResourceNotFound } : plain
    },
    // Errors are answers like any other here; 404 would tell the client that its session is gone.
    httpStatus: (error) => (error.reason === 'busy' ? 503 : 200),
  }
}
