import type { RevisionData } from './data.ts'
import { createEncoders, projectSampling, projectTool } from './encode.ts'
import { createProjector } from './project.ts'
import type { Revision } from './revision.ts'

/** The members that each era adds. */
type OfEra =
  | 'era'
  | 'rounds'
  | 'cancelOnDisconnect'
  | 'parameterHeaders'
  | 'envelope'
  | 'encodeError'
  | 'httpStatus'

/** Creates the behaviour that all revisions share, from the data of one revision. */
export function baseRevision(data: RevisionData): Omit<Revision, OfEra> {
  const { fields, structured: _, methods, notifications, serverRequests, ...flags } = data
  const projector = createProjector(fields)
  const encoders = createEncoders(data, projector)
  return {
    ...flags,
    methods: new Set(methods),
    notifications: new Set(notifications),
    serverRequests: new Set(serverRequests),
    project: projector.project,
    projectTool: (tool) => projectTool(data, projector, tool),
    projectSampling: (params) => projectSampling(projector, params),
    encodeResult: (method, result) => encoders.get(method)?.(result) ?? JSON.stringify(result),
  }
}
