/** The names of all methods that Jetway sends or understands. */
export const Method = {
  Initialize: 'initialize',
  Ping: 'ping',
  ListTools: 'tools/list',
  CallTool: 'tools/call',
  ListResources: 'resources/list',
  ListResourceTemplates: 'resources/templates/list',
  ReadResource: 'resources/read',
  Subscribe: 'resources/subscribe',
  Unsubscribe: 'resources/unsubscribe',
  ListPrompts: 'prompts/list',
  GetPrompt: 'prompts/get',
  Complete: 'completion/complete',
  SetLogLevel: 'logging/setLevel',
  Discover: 'server/discover',
  Listen: 'subscriptions/listen',
} as const

/** Requests about tasks, which differ between revisions. */
export const TaskMethod = {
  Get: 'tasks/get',
  Result: 'tasks/result',
  List: 'tasks/list',
  Cancel: 'tasks/cancel',
} as const

/** Requests that a server sends. */
export const ClientMethod = {
  Elicit: 'elicitation/create',
  Sample: 'sampling/createMessage',
  ListRoots: 'roots/list',
} as const

/** The notifications of the protocol by name. */
export const Notification = {
  Initialized: 'notifications/initialized',
  Cancelled: 'notifications/cancelled',
  Progress: 'notifications/progress',
  Message: 'notifications/message',
  ToolsListChanged: 'notifications/tools/list_changed',
  ResourcesListChanged: 'notifications/resources/list_changed',
  PromptsListChanged: 'notifications/prompts/list_changed',
  ResourceUpdated: 'notifications/resources/updated',
  ElicitationComplete: 'notifications/elicitation/complete',
  RootsListChanged: 'notifications/roots/list_changed',
  TaskStatus: 'notifications/tasks/status',
  Task: 'notifications/tasks',
  Acknowledged: 'notifications/subscriptions/acknowledged',
} as const
