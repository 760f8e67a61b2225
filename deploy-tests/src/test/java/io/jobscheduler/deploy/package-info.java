/**
 * What no schema finds in the deployment files: selectors, references, probes, settings that no
 * service reads, connections that the database does not have.
 *
 * <p>Each rule returns its findings, so that a test can also break a manifest and see the rule
 * object. Reads files only; knows no service's classes.
 */
package io.jobscheduler.deploy;
