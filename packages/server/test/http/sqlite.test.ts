/** The HTTP suite on SQLite. */
import { sqliteEngine } from '../helpers/storage-sqlite.ts'
import { describeHub } from './hub.suite.ts'

describeHub(sqliteEngine)
