import type { StartHub } from './types/cli/library.js'

export type { HubSettings, RunningHub, StartHub } from './types/cli/library.js'
export declare const startHub: StartHub
export declare const VERSION: string
