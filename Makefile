# Each target is one thin line around Maven, npm or Java; `make help` shows them.
MVN ?= mvn -B -ntp
FUZZ_REQUESTS ?= 20000
FUZZ_SEED ?=
WEBUI := dashboard-service/src/main/webui
STACK := java -jar local-stack/target/local-stack.jar
BENCHMARKS_JAR := benchmarks/target/benchmarks-0.1.0-SNAPSHOT.jar
BENCHMARKS := java -jar $(BENCHMARKS_JAR)
NO_WEBUI := $(if $(WEBUI_SKIP),-Dwebui.skip=true)

# What the packaged programs are made of; tests are not.
SOURCES := $(shell find pom.xml .mvn */pom.xml */src -type f \
  -not -path '*/node_modules/*' -not -path '*/src/test/*' -not -path '$(WEBUI)/dist/*' \
  -not -path '$(WEBUI)/test/*' -not -path '$(WEBUI)/e2e/*' -not -path '$(WEBUI)/mock/*')
SERVICES := $(foreach s,api worker scheduler dashboard,$(s)-service/target/quarkus-app/quarkus-run.jar)
PROGRAMS := $(SERVICES) local-stack/target/local-stack.jar
MISSING := $(filter-out $(wildcard $(PROGRAMS)),$(PROGRAMS))

.PHONY: help build up demo down test verify chaos fuzz bench bench-quick bench-start schema missing
.DEFAULT_GOAL := help

help:
	@echo 'make up           build what is stale, start PostgreSQL and the four services, until Ctrl-C'
	@echo '                    mvn -q -DskipTests package && $(STACK) up'
	@echo 'make demo         give the running stack real workflows, and judge the outcome'
	@echo '                    $(STACK) demo'
	@echo 'make down         stop what make up runs'
	@echo '                    $(STACK) down'
	@echo 'make test         everything that must pass, at most 25 minutes on 2 cores'
	@echo '                    mvn verify && cd $(WEBUI) && npm run check && npm test && npm run budget && npm run e2e'
	@echo 'make verify       the long tests too: mutation of the six structures, limits and leaders under fire'
	@echo '                    mvn verify -Pmutation -Dtests.excluded='
	@echo 'make fuzz         20,000 random requests to the API, made from its description; then, where there is Python,'
	@echo '                  those of schemathesis to the running stack, or to one of its own'
	@echo '                    mvn -pl api-service -am test-compile surefire:test@http-test -Dtest=FuzzHttpTest -Dfuzz.requests=20000 -Dfuzz.seed='
	@echo '                    api-service/src/test/fuzz/fuzz.sh'
	@echo 'make chaos        break the running system in every way for 3 minutes, then judge it (docs/chaos.md)'
	@echo '                    $(STACK) chaos'
	@echo 'make bench        benchmarks of the six structures, about 6 minutes'
	@echo '                    $(BENCHMARKS)'
	@echo 'make bench-quick  the same, each for a moment'
	@echo 'make bench-start  how long after its instant a due job or a retry starts, about 2 minutes'
	@echo '                    java -cp $(BENCHMARKS_JAR) io.jobscheduler.benchmarks.system.StartLatency'
	@echo 'make schema       write shared-schema/schema.sql after a migration was added'
	@echo '                    mvn -pl shared-schema test-compile exec:java@schema'
	@echo
	@echo 'Variables: JOBS_UP_API_PORT, JOBS_UP_DASHBOARD_PORT, JOBS_UP_POSTGRES_PORT, JOBS_UP_<service>_HEALTH_PORT,'
	@echo '  JOBS_WORKER_SLOTS, WORKFLOWS_DIR (folder of graphs), WEBUI_SKIP=1 (no Node needed), MVN (how to call Maven),'
	@echo '  FUZZ_REQUESTS, FUZZ_SEED (makes a run again), FUZZ_EXAMPLES, FUZZ_API (origin) and FUZZ_PASSWORD of a stack,'
	@echo '  CHAOS_MINUTES, CHAOS_SEED, CHAOS_SCENARIO, CHAOS_DATABASE_URL (a PostgreSQL of yours)'

build: target/built

# A program that is not there is built even if no source is newer than the last build.
target/built: $(SOURCES) $(if $(MISSING),missing)
	@local-stack/preflight.sh $(if $(WEBUI_SKIP),no-webui)
	$(MVN) -q -DskipTests $(NO_WEBUI) package
	@mkdir -p target && touch $@

missing:

up: build
	$(STACK) up

demo:
	$(STACK) demo

down:
	$(STACK) down

test:
	@local-stack/preflight.sh
	$(MVN) verify
	cd $(WEBUI) && npm run check && npm test && npm run budget && npm run e2e

verify:
	$(MVN) verify -Pmutation -Dtests.excluded=

fuzz: $(if $(FUZZ_API),,build)
	$(MVN) -pl api-service -am -Dsurefire.failIfNoSpecifiedTests=false test-compile surefire:test@http-test \
	  -Dtest=FuzzHttpTest -Dfuzz.requests=$(FUZZ_REQUESTS) -Dfuzz.seed=$(FUZZ_SEED)
	@api-service/src/test/fuzz/fuzz.sh

chaos: build
	$(STACK) chaos

bench: build
	$(BENCHMARKS)

bench-quick: build
	$(BENCHMARKS) -f 1 -wi 1 -w 100ms -i 1 -r 100ms

bench-start: build
	java -cp $(BENCHMARKS_JAR) io.jobscheduler.benchmarks.system.StartLatency

schema:
	$(MVN) -q -pl shared-schema test-compile exec:java@schema
