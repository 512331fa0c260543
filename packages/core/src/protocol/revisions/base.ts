import type { RevisionData } from './data.ts'
import { createEncoders, projectSampling, projectTool } from './encode.ts'
import { createProjector } from './project.ts'
import type { Revision } from './revision.ts'

/** What is for each era to say. */
type OfEra =
  | 'era'
  | 'rounds'
  | 'cancelOnDisconnect'
  | 'parameterHeaders'
  | 'envelope'
  | 'encodeError'
  | 'httpStatus'

/** The behaviour that all revisions share, over one revision's data. */
export function baseRevision(data: RevisionData): Omit<Revision, OfEra> {
  const projector = createProjector(data.fields)
  const encoders = createEncoders(data, projector)
  return {
    version: data.version,
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
    projectTool: (tool) => projectTool(data, projector, tool),
    projectResource: (resource) => projector.project('resource', resource),
    projectResourceTemplate: (template) => projector.project('resourceTemplate', template),
    projectPrompt: (prompt) => projector.project('prompt', prompt),
    projectImplementation: (info) => projector.project('implementation', info),
    projectSampling: (params) => projectSampling(projector, params),
    projectCapabilities: (capabilities) => projector.project('capabilities', capabilities),
    encodeResult: (method, result) => encoders.get(method)?.(result) ?? JSON.stringify(result),
  }
}
