export const DATABASE = 'recordhub.sqlite'
export const LOG = `${DATABASE}-wal`
