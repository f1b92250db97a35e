"""Reports: many workloads at one moment in one vocabulary, for dashboards and cost tools, and the forms they are in."""
