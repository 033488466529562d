import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './overview.module.css'

/** A link to a platform, underlined on hover only. */
export function PlatformName({ id, children }: { id: number; children: ReactNode }) {
  return (
    <Link to="/dashboard/platforms/$id" params={{ id: String(id) }} className={classes['plain']}>
      {children}
    </Link>
  )
}
