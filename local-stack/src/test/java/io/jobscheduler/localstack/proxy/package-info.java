/** Tests of the proxy. */
@NullMarked
package io.jobscheduler.localstack.proxy;

import org.jspecify.annotations.NullMarked;
